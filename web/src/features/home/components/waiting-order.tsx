import { useTranslation } from 'react-i18next'
import { useWaitingOrder } from '@/lib/recent-recharge'
import { NoticeLink } from '@/ui/notice-link'

/** Leads whoever has no service to the payment of an order that was placed already. */
export function WaitingOrder() {
  const { t } = useTranslation('home')
  const waiting = useWaitingOrder()
  if (!waiting?.order) return null
  return (
    <NoticeLink
      tone="warning"
      text={t('waiting', { name: waiting.order.name })}
      to="/user/wallet/recharge/new"
      search={{ id: waiting.no }}
    >
      {t('action.pay')}
    </NoticeLink>
  )
}
