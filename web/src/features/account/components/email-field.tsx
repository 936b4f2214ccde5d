import { TextInput } from '@mantine/core'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'

/** The e-mail address with which the forms of the open pages begin. It has the focus when the page opens. */
export function EmailField(props: {
  register: UseFormRegisterReturn
  error: string | undefined
  autoComplete?: string
}) {
  const { t } = useTranslation('account')
  return (
    <TextInput
      label={t('field.email')}
      type="email"
      autoComplete={props.autoComplete ?? 'username'}
      inputMode="email"
      autoFocus
      error={props.error}
      {...props.register}
    />
  )
}
