import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { apiTokenCreateMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { Dialog } from '@/ui/dialog'
import { expiryOf, type TokenForm as Values } from '../model'
import { NewSecret } from './new-secret'
import { TokenForm } from './token-form'

/** A token that is to be made once, however often its call is sent: the same values give the same body. */
const newIntention = () => ({ key: newIdempotencyKey(), since: Date.now() })

/** The answers to a repeat of a call that was done: with the same body, and with another password or code. */
const doneAlready = new Set(['already_received', 'idempotency_key_reused'])

const isDone = (error: unknown) => error instanceof ApiError && doneAlready.has(error.code)

/** Creates a token and shows its secret. A click outside or the Escape key does not close it. */
export function NewTokenDialog(props: { onMade: () => Promise<unknown>; onClose: () => void }) {
  const { t } = useTranslation('developer')
  const [isLeaving, setLeaving] = useState(false)
  const [intention, setIntention] = useState(newIntention)
  // The name that was sent first under the key is the one of the token.
  const [lostName, setLostName] = useState<string>()
  // After a lost answer the list shows whether the token was made.
  const create = useMutation({ ...apiTokenCreateMutation(), onSettled: props.onMade })
  const secret = create.data?.token
  const make = async ({ days, ...token }: Values) => {
    const { key, since } = intention
    try {
      await create.mutateAsync({
        body: { ...token, expires_at: expiryOf(days, since) },
        headers: { 'Idempotency-Key': key },
      })
    } catch (error) {
      if (error instanceof ApiError && error.isPassing) setLostName((first) => first ?? token.name)
      if (!isDone(error)) throw error
      setIntention(newIntention())
      setLostName(undefined)
      throw new ApiError(t('problem.secretLost', { name: lostName ?? token.name }), {
        status: 409,
        code: 'already_received',
      })
    }
  }
  return (
    <Dialog
      title={secret ? t('secret.title') : t('tokens.make')}
      onClose={() => (secret && !isLeaving ? setLeaving(true) : props.onClose())}
    >
      {secret ? (
        <NewSecret
          secret={secret}
          isLeaving={isLeaving}
          onStay={() => setLeaving(false)}
          onDone={props.onClose}
        />
      ) : (
        <TokenForm onSubmit={make} />
      )}
    </Dialog>
  )
}
