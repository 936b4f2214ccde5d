import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RedemptionRecord } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { TextLink } from '@/ui/text-link'
import { giftText } from '../gift-text'
import classes from './redeemed.module.css'

const places = {
  amount: '/user/wallet',
  plan: '/user/services',
  traffic: '/user/services',
} as const

/** What the redeemed key brought, with a link to it. */
export function Redeemed({ gift }: { gift: RedemptionRecord }) {
  const { t, i18n } = useTranslation('wallet')
  const currency = useCurrency()
  return (
    <p className={classes.done}>
      <CircleCheck size={20} strokeWidth={1.75} aria-hidden="true" />
      <span>
        {t('cdKey.done', { gift: giftText(gift, t, currency, i18n.language) })}{' '}
        <TextLink to={places[gift.kind]}>{t(`cdKey.see.${gift.kind}`)}</TextLink>
      </span>
    </p>
  )
}
