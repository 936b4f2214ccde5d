import { useTranslation } from 'react-i18next'
import type { CodeInputProps } from '@/ui/code-input'
import { SecondFactorField } from '@/ui/second-factor-field'

/** The second factor of a sign-in, once it is asked for. */
export function SecondStepField(props: CodeInputProps) {
  const { t } = useTranslation('account')
  return (
    <SecondFactorField label={t('signIn.code')} hint={t('signIn.codeHint')} autoFocus {...props} />
  )
}
