import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { apiTokenCreateMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { Dialog } from '@/ui/dialog'
import { expiryOf } from '../model'
import { NewSecret } from './new-secret'
import { TokenForm } from './token-form'

/** Creates a token and shows its secret. A click outside or the Escape key does not close it. */
export function NewTokenDialog(props: { onMade: () => Promise<unknown>; onClose: () => void }) {
  const { t } = useTranslation('developer')
  const [isLeaving, setLeaving] = useState(false)
  // One token for each time that the dialog is opened: its secret is shown once.
  const [key] = useState(newIdempotencyKey)
  const create = useMutation({ ...apiTokenCreateMutation(), onSuccess: props.onMade })
  const secret = create.data?.token
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
        <TokenForm
          onSubmit={({ days, ...token }) =>
            create.mutateAsync({
              body: { ...token, expires_at: expiryOf(days, Date.now()) },
              headers: { 'Idempotency-Key': key },
            })
          }
        />
      )}
    </Dialog>
  )
}
