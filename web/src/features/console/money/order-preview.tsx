import { Skeleton, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffOrderQuote } from '@/lib/api/gen/staff/sdk.gen'
import type { OrderQuote, UserDetail } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { Notice } from '@/ui/notice'
import { Section } from '../parts/section'
import { useOwnName } from '../parts/use-own-name'
import { isAmount, type Wanted } from './order-values'

/** What the user would get and what it would cost, as the server reckons it now. */
export function OrderPreview({ user, wanted }: { user: UserDetail; wanted: Wanted | undefined }) {
  return wanted && <Preview user={user} wanted={wanted} />
}

function Preview({ user, wanted }: { user: UserDetail; wanted: Wanted }) {
  const { t } = useTranslation('console/order')
  const { t: common } = useTranslation()
  const ownName = useOwnName()
  const query = useQuery({
    ...quoteOf(user.id, wanted),
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Section title={t('section.preview')}>
      {wanted.pay === 'free' ? (
        <Text>{t('freePreview', { plan: ownName(wanted.plan) })}</Text>
      ) : query.error ? (
        <Notice tone="warning">{problemText(query.error, common)}</Notice>
      ) : query.data ? (
        <Quote quote={query.data} />
      ) : (
        <Skeleton height={160} />
      )}
    </Section>
  )
}

const quoteOf = (user: number, { plan, months, price, renews, changes, pay }: Wanted) => ({
  queryKey: ['console', 'orders', 'quote', user, plan.id, months, price, renews, changes, pay],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (
      await staffOrderQuote({
        path: { user_id: user },
        query: {
          plan_id: plan.id,
          ...(months > 0 && { months }),
          ...(price !== undefined && isAmount(price) && { price }),
          ...(renews !== undefined && { renew_service_id: renews }),
          ...(changes !== undefined && { change_service_id: changes }),
          ...(pay !== 'wallet' && { assign: true }),
        },
        signal,
        throwOnError: true,
      })
    ).data,
  enabled: pay !== 'free',
})

function Quote({ quote }: { quote: OrderQuote }) {
  const { t } = useTranslation('console/order')
  const { t: money } = useTranslation('console/money')
  const { currency } = quote
  return (
    <Facts>
      <Fact name={money('column.item')}>{quote.plan.name}</Fact>
      <Fact name={money('column.kind')}>{money(`orderKind.${quote.kind}`)}</Fact>
      <Fact name={t('fact.traffic')}>
        {quote.traffic_bytes === null ? t('unlimited') : <Bytes bytes={quote.traffic_bytes} />}
      </Fact>
      {quote.ends_at && (
        <Fact name={t('fact.ends')}>
          <Moment time={quote.ends_at} withTime />
        </Fact>
      )}
      <Fact name={t('fact.listed')}>
        <Money amount={quote.listed} currency={currency} />
      </Fact>
      <Fact name={t('fact.price')}>
        <Money amount={quote.price} currency={currency} />
      </Fact>
      {quote.credit !== '0.00' && (
        <Fact name={t('fact.credit')}>
          <Money amount={quote.credit} currency={currency} />
        </Fact>
      )}
      <Fact name={money('column.total')}>
        <Money amount={quote.total} currency={currency} />
      </Fact>
      <Fact name={t('fact.balance')}>
        <Money amount={quote.balance} currency={currency} />
      </Fact>
    </Facts>
  )
}
