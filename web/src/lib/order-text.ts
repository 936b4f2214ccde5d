import { useTranslation } from 'react-i18next'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'
import { formatFullDate, lastMoment } from './time'

/** Says what an order is for ("Pro · 12 months"), and what came of one that is paid ("Renewed until Feb 26"). */
export function useOrderText() {
  const { t, i18n } = useTranslation('order')
  const what = ({ name, months }: Pick<Order, 'name' | 'months'>) =>
    months > 0 ? t('period', { name, count: months }) : name
  return {
    what,
    done: (order: Order) => {
      if (order.replaces !== '') return t('done.change', { from: order.replaces, to: order.name })
      if (order.kind === 'renewal' && order.ends_at !== null) {
        return t('done.renewal', { date: formatFullDate(lastMoment(order.ends_at), i18n.language) })
      }
      return t(order.kind === 'package' ? 'done.package' : 'done.plan', { what: what(order) })
    },
  }
}
