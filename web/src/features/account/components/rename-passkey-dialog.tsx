import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import {
  accountPasskeyRenameMutation,
  accountPasskeysQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PasskeyResult } from '@/lib/api/gen/types.gen'
import { resolver } from '@/lib/resolver'
import { showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { FormError } from '@/ui/form-error'
import { passkeyNameForm, type PasskeyNameForm } from '../own-account-model'

export function RenamePasskeyDialog(props: { passkey: PasskeyResult; onClose: () => void }) {
  const { t } = useTranslation('passkey')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const { id, name } = props.passkey
  const queryClient = useQueryClient()
  const rename = useMutation(accountPasskeyRenameMutation())
  const form = useForm<PasskeyNameForm>({
    resolver: resolver(passkeyNameForm(t, account)),
    defaultValues: { name },
  })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async (body) => {
    try {
      await rename.mutateAsync({ path: { passkey_id: id }, body })
      await queryClient.invalidateQueries({ queryKey: accountPasskeysQueryKey() })
      props.onClose()
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })

  return (
    <Dialog title={t('renameTitle', { name })} onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('name')}
            data-autofocus
            error={errors.name?.message}
            {...form.register('name')}
          />
          <FormError message={errors.root?.message} />
          <Button type="submit" loading={isSubmitting}>
            {t('rename')}
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}
