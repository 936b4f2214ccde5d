import { TextInput, type TextInputProps } from '@mantine/core'
import { type ChangeEvent, useEffect, useRef } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { CODE_LENGTH, digitsOf } from '@/lib/digits'

export type CodeInputProps = {
  register: UseFormRegisterReturn
  error: string | undefined
  /** Called once the last digit is there. */
  onComplete?: (() => void) | undefined
}

/**
 * Six digits: the keyboard of digits on phones, the code that the system offers, a code that was copied with spaces.
 * `clean` says what is kept of a text that is typed, by default its digits.
 */
export function CodeInput({
  register: { onChange, ref, ...register },
  onComplete,
  clean = digitsOf,
  ...props
}: CodeInputProps & { clean?: (text: string) => string } & Omit<TextInputProps, 'error'>) {
  const input = useRef<HTMLInputElement>(null)
  const last = useRef('')

  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const code = clean(event.target.value)
    const isNew = code !== last.current
    last.current = code
    event.target.value = code
    void onChange(event)
    if (isNew && code.length === CODE_LENGTH && code === digitsOf(code)) onComplete?.()
  }

  // A code that was refused is replaced by what is typed next.
  useEffect(() => {
    if (props.error && document.activeElement === input.current) input.current?.select()
  }, [props.error])

  return (
    <TextInput
      autoComplete="one-time-code"
      inputMode="numeric"
      onChange={change}
      ref={(element) => {
        input.current = element
        ref(element)
      }}
      {...register}
      {...props}
    />
  )
}
