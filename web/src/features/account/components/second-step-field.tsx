import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UseFormRegisterReturn } from 'react-hook-form'

/** The code of the authenticator app or a recovery code, which has letters, once it is asked for. */
export function SecondStepField(props: {
  register: UseFormRegisterReturn
  error: string | undefined
}) {
  const { t } = useTranslation('account')
  return (
    <TextInput
      label={t('signIn.code')}
      description={t('signIn.codeHint')}
      autoComplete="one-time-code"
      autoFocus
      error={props.error}
      {...props.register}
    />
  )
}
