import { useState } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import type { Calls } from '@/ui/captcha/use-calls'
import { type SendCode, useCodeRequest } from '../use-code-request'
import { CodeField } from './code-field'
import { CodeSent } from './code-sent'
import { SendCodeButton } from './send-code-button'

/** The code in a form that has the address too, with the button that sends it there. */
export function RequestedCodeField(props: {
  email: string
  register: UseFormRegisterReturn
  error: string | undefined
  send: SendCode
  call: Calls['call']
  /** Says at its field whether the address is one, before anything is sent. */
  checkEmail: () => Promise<boolean>
  onSent: () => void
  onComplete?: () => void
}) {
  const request = useCodeRequest(props.send)
  const [isBusy, setBusy] = useState(false)
  const email = props.email.trim()

  const ask = async () => {
    if (!(await props.checkEmail())) return
    setBusy(true)
    await props.call(
      (proof) => request.ask(email, proof).then(props.onSent),
      () => void ask(),
    )
    setBusy(false)
  }

  return (
    <div>
      <CodeField
        register={props.register}
        error={props.error}
        onComplete={props.onComplete}
        button={
          <SendCodeButton
            request={request}
            email={email}
            isBusy={isBusy}
            onClick={() => void ask()}
          />
        }
      />
      <CodeSent email={request.sentTo} />
    </div>
  )
}
