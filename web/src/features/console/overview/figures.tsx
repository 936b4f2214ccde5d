import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Overview, OverviewFigure } from '@/lib/api/gen/staff/types.gen'
import { formatBytes } from '@/lib/bytes'
import { useCurrency } from '@/lib/currency'
import { formatMoney } from '@/lib/money'
import { formatDateTime } from '@/lib/time'
import { useListSearch } from '../parts/list-search'
import type { RowLink } from '../parts/resource'
import classes from './overview.module.css'

/** The search of a list that a figure names, for its link. */
const searchOf = (query: string) =>
  Object.fromEntries(
    [...new URLSearchParams(query)].map(([key, value]) => [
      key,
      /^\d{1,9}$/.test(value) ? Number(value) : value,
    ]),
  )

/** The pages of the lists that figures name. */
const pages: Record<string, RowLink['to']> = {
  users: '/admin/users',
  orders: '/admin/orders',
  recharges: '/admin/recharges',
  nodes: '/admin/nodes',
  tickets: '/admin/tickets',
  'payment-cases': '/admin/payment-cases',
  jobs: '/admin/jobs/queue',
  'jobs/timetable': '/admin/jobs',
}

/** Figures of which more is worse. */
const isTrouble = new Set(['failed_payments', 'nodes_offline', 'cases', 'failed_jobs', 'late_jobs'])

/** Figures of one kind, each a link to its list. */
export function Figures(props: { of: Overview; keys: readonly OverviewFigure['key'][] }) {
  const { t, i18n } = useTranslation('console/overview')
  const shown = props.keys.flatMap((key) => props.of.figures.find((one) => one.key === key) ?? [])
  if (shown.length === 0) return null
  return (
    <>
      <ul className={classes.figures}>
        {shown.map((figure) => (
          <li key={figure.key}>
            <Figure figure={figure} />
          </li>
        ))}
      </ul>
      <Text c="dimmed" size="sm">
        {t('asOf', { time: formatDateTime(props.of.as_of, i18n.language) })}
      </Text>
    </>
  )
}

/** A figure's amount in words. */
function useWords() {
  const { i18n } = useTranslation()
  const currency = useCurrency()
  return ({ measure }: OverviewFigure, total: OverviewFigure['now']) => {
    if (measure === 'amount') return formatMoney(total.amount, currency, i18n.language)
    if (measure === 'bytes') return formatBytes(total.bytes, i18n.language)
    return new Intl.NumberFormat(i18n.language).format(total.rows)
  }
}

function Figure({ figure }: { figure: OverviewFigure }) {
  const { t } = useTranslation('console/overview')
  const { search } = useListSearch()
  const words = useWords()
  const name = t(`figure.${figure.key}`)
  const isBad = isTrouble.has(figure.key) && figure.now.rows > 0
  const body = (
    <>
      <span className={classes.name}>{name}</span>
      <span className={classes.value} data-bad={isBad || undefined}>
        {words(figure, figure.now)}
      </span>
      <Beside figure={figure} words={words} />
    </>
  )
  const to = figure.list.startsWith('statistics/') ? '/admin/traffic' : pages[figure.list]
  if (!to) return <div className={classes.figure}>{body}</div>
  const kept = { days: search.days && Number(search.days), from: search.from, until: search.until }
  return (
    <Link
      to={to}
      search={(to === '/admin/traffic' ? kept : searchOf(figure.query)) as never}
      className={classes.figure}
    >
      {body}
    </Link>
  )
}

/** What stands below a figure: how it compares, and what it consists of. */
function Beside(props: { figure: OverviewFigure; words: ReturnType<typeof useWords> }) {
  const { t, i18n } = useTranslation('console/overview')
  const currency = useCurrency()
  const { figure } = props
  const { before, change_percent: change } = figure
  const number = new Intl.NumberFormat(i18n.language, { signDisplay: 'exceptZero' })
  return (
    <span className={classes.about}>
      {before &&
        (change === null
          ? t('before', { value: props.words(figure, before) })
          : t('change', { change: number.format(change), value: props.words(figure, before) }))}
      {figure.key === 'orders' && figure.now.rows > 0 && (
        <>
          {' · '}
          {t('average', {
            value: formatMoney(
              String(Number(figure.now.amount) / figure.now.rows),
              currency,
              i18n.language,
            ),
          })}
        </>
      )}
      {figure.oldest && t('oldest', { time: formatDateTime(figure.oldest, i18n.language) })}
      {figure.parts.length > 0 &&
        ` · ${figure.parts.map(({ name, rows }) => `${name} ${rows}`).join(', ')}`}
    </span>
  )
}
