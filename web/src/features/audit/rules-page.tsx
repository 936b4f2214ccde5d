import { Card, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AuditRule } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { TableSkeleton } from './components/table-skeleton'
import classes from './audit.module.css'
import { rules as rulesQuery } from './queries'

/** What nodes refuse, and how often they refused it to the user. */
export function RulesPage() {
  const { t } = useTranslation('audit')
  const rules = useQuery(rulesQuery())
  return (
    <>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={
          <ButtonLink variant="default" to="/user/audit/view">
            {t('toLog')}
          </ButtonLink>
        }
      />
      <Loaded query={rules} skeleton={<TableSkeleton />} hasCards>
        {({ rules: list }) =>
          list.length === 0 ? (
            <Card>
              <Empty icon={ShieldCheck} text={t('empty')} />
            </Card>
          ) : (
            <Rules list={list} />
          )
        }
      </Loaded>
    </>
  )
}

function Rules({ list }: { list: readonly AuditRule[] }) {
  const { t } = useTranslation('audit')
  const hits = list.reduce((sum, { my_hits: one }) => sum + one, 0)
  return (
    <>
      <Text mb="md">{hits === 0 ? t('clean') : t('sum', { count: hits })}</Text>
      <DataTable
        caption={t('caption')}
        columns={columnsIn(t)}
        rows={list}
        rowKey={({ id }) => id}
      />
    </>
  )
}

const columnsIn = (t: TFunction<'audit'>): Column<AuditRule>[] => [
  {
    key: 'rule',
    header: t('rule'),
    isTitle: true,
    cell: ({ name, text }) => (
      <div>
        <Text fw={500} inherit>
          {name}
        </Text>
        {text && (
          <Text c="dimmed" size="sm" fw={400}>
            {text}
          </Text>
        )}
      </div>
    ),
  },
  {
    key: 'pattern',
    header: t('pattern'),
    cell: ({ pattern }) => <code className={classes.pattern}>{pattern}</code>,
  },
  {
    key: 'hits',
    header: t('hits'),
    align: 'end',
    cell: ({ id, my_hits: count }) => (
      <span className={classes.whole}>
        {count === 0 ? (
          <Text c="dimmed" inherit span>
            {t('times', { count })}
          </Text>
        ) : (
          <TextLink to="/user/audit/view" search={{ rule: id }}>
            {t('times', { count })}
          </TextLink>
        )}
      </span>
    ),
  },
  {
    key: 'last',
    header: t('last'),
    align: 'end',
    cell: ({ last_hit_at: time }) => (
      <span className={classes.whole}>{time ? <Moment time={time} withTime /> : '—'}</span>
    ),
  },
]
