import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { digitsOf } from '@/lib/digits'
import { CodeInput, type CodeInputProps } from './code-input'

const hasLetter = (text: string) => /[a-z]/i.test(text.normalize('NFKC'))

/**
 * The code of the authenticator app, or a recovery code. Those have letters, which the keyboard of digits lacks: a button
 * leads to them, and so does the first letter where there is another keyboard.
 */
export function SecondFactorField(
  props: CodeInputProps & { label: string; hint: string; autoFocus?: boolean },
) {
  const { t } = useTranslation()
  const [isRecovery, setRecovery] = useState(false)
  const { label, hint, onComplete, register, ...input } = props

  const clean = (text: string) => {
    if (!isRecovery && !hasLetter(text)) return digitsOf(text)
    setRecovery(true)
    return text
  }
  const swap = () => {
    setRecovery(!isRecovery)
    const field = document.getElementsByName(register.name)[0]
    if (!(field instanceof HTMLInputElement)) return
    field.value = ''
    void register.onChange({ target: field, type: 'change' })
    field.focus()
  }

  return (
    <div>
      <CodeInput
        {...input}
        register={register}
        clean={clean}
        label={isRecovery ? t('secondFactor.recoveryCode') : label}
        description={isRecovery ? t('secondFactor.recoveryHint') : hint}
        onComplete={isRecovery ? undefined : onComplete}
        {...(isRecovery && { inputMode: 'text', autoComplete: 'off', spellCheck: false })}
      />
      <Anchor component="button" type="button" fz="sm" mt={6} onClick={swap}>
        {isRecovery ? t('secondFactor.useApp') : t('secondFactor.useRecovery')}
      </Anchor>
    </div>
  )
}
