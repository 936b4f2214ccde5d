import { Card, Skeleton, Title } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Empty } from '@/ui/empty'
import { PageHeader } from '@/ui/page-header'
import { useMay } from '../parts/permissions'
import classes from './overview.module.css'
import { countOfLine, waiting } from './waiting'

/** What needs attention, each line leading to its list. */
export function OverviewPage() {
  const { t } = useTranslation('console/overview')
  return (
    <>
      <PageHeader title={t('title')} />
      <section aria-label={t('waiting')}>
        <Title order={2} size="h3" mb="sm">
          {t('waiting')}
        </Title>
        <Waiting />
      </section>
    </>
  )
}

function Waiting() {
  const { t, i18n } = useTranslation('console/overview')
  const may = useMay()
  const shown = waiting.filter(({ permission }) => may(permission))
  const counts = useQueries({
    queries: shown.map((line) => ({ ...countOfLine(line), refetchInterval: 15_000 })),
  })
  if (counts.some(({ isPending }) => isPending)) return <Skeleton height={180} radius="lg" />
  const lines = shown.flatMap((one, index) => {
    const { data = null } = counts[index] ?? {}
    return data === 0 ? [] : [{ ...one, count: data }]
  })
  if (lines.length === 0)
    return (
      <Card>
        <Empty icon={CircleCheck} text={t('nothing')} />
      </Card>
    )
  const number = new Intl.NumberFormat(i18n.language)
  return (
    <ul className={classes.lines}>
      {lines.map(({ key, link, count }) => (
        <li key={key}>
          <Link {...link} className={classes.line}>
            {/* What could not be counted is unknown, not 0. */}
            <span className={classes.count}>{count === null ? '—' : number.format(count)}</span>
            {t(key)}
            <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
          </Link>
        </li>
      ))}
    </ul>
  )
}
