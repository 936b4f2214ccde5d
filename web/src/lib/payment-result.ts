import { useEffect, useEffectEvent } from 'react'

/** What became of an intention to pay: the order that is paid, or the recharge that waits for its payment. */
type PaymentResult = { intention: string; orderNo?: number; rechargeNo?: number }

let channel: BroadcastChannel | undefined
/** One for the whole tab: a channel does not receive what was sent through it. */
const paymentChannel = () => (channel ??= new BroadcastChannel('payment-results'))

/** Says in the other tabs what became of an intention. */
export function announcePaymentResult(result: PaymentResult): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  paymentChannel().postMessage(result)
}

/** Calls back when another tab has paid for the same, so that nobody pays for it here once more without knowing. */
export function usePaymentResult(intention: string, onResult: (result: PaymentResult) => void) {
  const receive = useEffectEvent(({ data }: MessageEvent<PaymentResult>) => {
    if (data.intention === intention) onResult(data)
  })
  useEffect(() => {
    const results = paymentChannel()
    results.addEventListener('message', receive)
    return () => results.removeEventListener('message', receive)
  }, [])
}
