import { useTranslation } from 'react-i18next'
import type { KeyBatch } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { useNow } from '@/lib/now'
import { Bytes } from '@/ui/bytes'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { usePlanName } from '../parts/plan-names'

export const batchName = ({ id, name }: KeyBatch) => (name ? `#${id} ${name}` : `#${id}`)

/** What each key of a batch gives. */
export function Gift({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  const currency = useCurrency()
  const planName = usePlanName()
  if (batch.kind === 'amount') return <Money amount={batch.amount ?? '0'} currency={currency} />
  if (batch.kind === 'traffic') return <Bytes bytes={batch.bytes ?? 0} />
  const time = [
    batch.months ? t('months', { count: batch.months }) : '',
    batch.days ? t('days', { count: batch.days }) : '',
  ].filter(Boolean)
  return `${planName(batch.plan_id) ?? t('plan', { id: batch.plan_id })} · ${time.join(' ')}`
}

const tones = { voided: 'neutral', waits: 'warning', expired: 'neutral', good: 'success' } as const

function stateOf(batch: KeyBatch, now: number): keyof typeof tones {
  if (batch.voided_at) return 'voided'
  if (!batch.confirmed_at) return 'waits'
  return batch.expires_at && Date.parse(batch.expires_at) <= now ? 'expired' : 'good'
}

/** Whether a batch's keys can be redeemed. */
export function BatchState({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  const state = stateOf(batch, useNow())
  return <StatusDot tone={tones[state]}>{t(`state.${state}`)}</StatusDot>
}
