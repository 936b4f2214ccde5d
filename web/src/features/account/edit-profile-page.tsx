import { resolver } from '@/lib/resolver'
import { Button, Card, Skeleton, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import {
  accountEditProfileMutation,
  accountMeOptions,
  accountMeQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { AccountMeResponse } from '@/lib/api/gen/types.gen'
import { session } from '@/lib/session/current-session'
import { showServerProblem } from '@/lib/server-problem'
import { FormColumn } from '@/ui/form-column'
import { FormDone } from '@/ui/form-done'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { profileForm, type ProfileForm } from './model'

/** The name that one is called by. */
export function EditProfilePage() {
  const { t } = useTranslation('security')
  const me = useQuery(accountMeOptions())
  return (
    <>
      <PageHeader title={t('profile.title')} about={t('profile.about')} />
      <FormColumn>
        <Card>
          <Loaded query={me} skeleton={<Skeleton height={190} />}>
            {(found) => <Form me={found} />}
          </Loaded>
        </Card>
      </FormColumn>
    </>
  )
}

function Form({ me }: { me: AccountMeResponse }) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const edit = useMutation(accountEditProfileMutation())
  const form = useForm<ProfileForm>({
    resolver: resolver(profileForm(account)),
    defaultValues: { user_name: me.user_name },
  })
  const { errors, isSubmitting, isDirty } = form.formState

  const submit = form.handleSubmit(async (body) => {
    try {
      await edit.mutateAsync({ body })
      form.reset(body)
      await queryClient.invalidateQueries({ queryKey: accountMeQueryKey() })
      // The name is in the token.
      await session.refresh()
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={account('field.email')}
          value={me.email}
          readOnly
          variant="filled"
          rightSection={
            <TextLink to="/user/account/edit-email">{t('profile.changeEmail')}</TextLink>
          }
          rightSectionWidth="5rem"
        />
        <TextInput
          label={account('field.name')}
          autoComplete="nickname"
          error={errors.user_name?.message}
          {...form.register('user_name')}
        />
        <FormError message={errors.root?.message} />
        <FormDone message={edit.isSuccess && !isDirty ? t('profile.done') : undefined} />
        <Button type="submit" loading={isSubmitting} disabled={!isDirty}>
          {t('profile.submit')}
        </Button>
      </Stack>
    </form>
  )
}
