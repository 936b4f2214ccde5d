import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeInput, type CodeInputProps } from '@/ui/code-input'

/** The code from a mail. */
export function CodeField(
  props: CodeInputProps & {
    /** What it is called where a form has more than one. */
    label?: string
    button?: ReactNode
    autoFocus?: boolean
  },
) {
  const { t } = useTranslation('account')
  const { label = t('emailCode.label'), button, ...input } = props
  return (
    <CodeInput
      {...input}
      label={label}
      rightSection={button}
      rightSectionWidth="auto"
      rightSectionPointerEvents="all"
    />
  )
}
