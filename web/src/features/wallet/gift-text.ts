import type { TFunction } from 'i18next'
import type { RedemptionRecord } from '@/lib/api/gen/types.gen'
import { formatBytes } from '@/lib/bytes'
import { isolate } from '@/lib/isolate'
import { formatMoney } from '@/lib/money'

/** What a cd-key brought: "¥10.00 in your balance", "Standard, 1 month and 3 days", "50 GB for 30 days". */
export function giftText(
  gift: RedemptionRecord,
  t: TFunction<'wallet'>,
  currency: string,
  language: string,
): string {
  if (gift.kind === 'amount') {
    return t('cdKey.money', { amount: formatMoney(gift.amount ?? '0', currency, language) })
  }
  const what =
    gift.kind === 'plan' ? isolate(gift.plan_name ?? '') : formatBytes(gift.bytes ?? 0, language)
  const time = [
    gift.months && t('cdKey.months', { count: gift.months }),
    gift.days && t('cdKey.days', { count: gift.days }),
  ].filter((part) => typeof part === 'string')
  return [what, ...time].join(' · ')
}
