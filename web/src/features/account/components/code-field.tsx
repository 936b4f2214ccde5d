import { TextInput } from '@mantine/core'
import type { ChangeEvent, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { UseFormRegisterReturn } from 'react-hook-form'

const LENGTH = 6

/** The six digits of a code from a mail, whatever stands between them where it was copied. */
export function CodeField(props: {
  /** What it is called where a form has more than one. */
  label?: string
  register: UseFormRegisterReturn
  error: string | undefined
  /** Called once the last digit is there. */
  onComplete?: (() => void) | undefined
  button?: ReactNode
  autoFocus?: boolean
}) {
  const { t } = useTranslation('account')
  const { onChange, ...register } = props.register

  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const digits = event.target.value.normalize('NFKC').replaceAll(/\D/g, '').slice(0, LENGTH)
    event.target.value = digits
    void onChange(event)
    if (digits.length === LENGTH) props.onComplete?.()
  }

  return (
    <TextInput
      label={props.label ?? t('emailCode.label')}
      autoComplete="one-time-code"
      inputMode="numeric"
      autoFocus={props.autoFocus ?? false}
      error={props.error}
      rightSection={props.button}
      rightSectionWidth="auto"
      rightSectionPointerEvents="all"
      onChange={change}
      {...register}
    />
  )
}
