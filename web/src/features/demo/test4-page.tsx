import {
  Button,
  Checkbox,
  NativeSelect,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { FormDone } from '@/ui/form-done'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

/** Every kind of field; the form says what is wrong at its field. */
export function Test4Page() {
  const { t } = useTranslation('demo')
  const form = useForm({ defaultValues: { name: '', password: '', terms: false } })
  const { errors, isSubmitSuccessful } = form.formState
  const submit = form.handleSubmit(() => undefined)
  return (
    <TestPage name="test4">
      <Part title={t('title.test4')}>
        <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
          <Stack gap="md">
            <TextInput
              label={t('form.name')}
              description={t('form.nameHint')}
              error={errors.name?.message}
              {...form.register('name', {
                validate: (name) => name.trim() !== '' || t('form.required'),
              })}
            />
            <PasswordInput
              label={t('form.password')}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t('form.password') }}
              error={errors.password?.message}
              {...form.register('password', { required: t('form.required') })}
            />
            <NumberInput label={t('form.amount')} defaultValue={10} min={1} size="md" />
            <NativeSelect
              label={t('form.kind')}
              size="md"
              data={[t('small'), t('medium'), t('large')]}
            />
            <SegmentedControl
              aria-label={t('form.period')}
              data={[t('form.month'), t('form.year')]}
            />
            <Switch label={t('form.notices')} />
            <Checkbox
              label={t('form.terms')}
              error={errors.terms?.message}
              {...form.register('terms', { required: t('form.agree') })}
            />
            <FormDone message={isSubmitSuccessful ? t('form.done') : undefined} />
            <Button type="submit">{t('form.submit')}</Button>
          </Stack>
        </form>
      </Part>
    </TestPage>
  )
}
