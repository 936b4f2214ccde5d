import { Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { DetailHeader } from '../parts/detail-header'
import { requireFound } from '../parts/require-found'
import { AuditActor } from './audit-actor'
import { AuditObject } from './audit-object'
import { auditEntryOf } from './resource'
import classes from './trust.module.css'

const route = getRouteApi('/admin/audit-log/$id')

/** One entry of the audit log: what differs, before and after, and why. */
export function AuditEntryPage() {
  const { t } = useTranslation('console/trust')
  const { id } = route.useParams()
  const query = useQuery(auditEntryOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? (
        <DetailHeader
          list={{ title: t('log.title'), link: { to: '/admin/audit-log' } }}
          title={query.data.action_text}
          about={`${query.data.action} · #${id}`}
        />
      ) : (
        <PageHeader title={t('log.title')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
        {(entry) => (
          <>
            <EntryFacts entry={entry} />
            <Difference entry={entry} />
          </>
        )}
      </Loaded>
    </div>
  )
}

function EntryFacts({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('console/trust')
  return (
    <Card mb="md">
      <Facts>
        <Fact name={t('log.actor')}>
          <AuditActor entry={entry} />
          {entry.actor_role && ` · ${entry.actor_role}`}
        </Fact>
        <Fact name={t('log.object')}>
          <AuditObject entry={entry} /> ·{' '}
          <TextLink
            to="/admin/audit-log"
            search={{ object: entry.object, object_id: entry.object_id || undefined } as never}
          >
            {t('log.allOfObject')}
          </TextLink>
        </Fact>
        <Fact name={t('log.at')}>
          <Moment time={entry.at} withTime />
        </Fact>
        <Fact name={t('log.address')}>{entry.address || '—'}</Fact>
        <Fact name={t('log.request')}>{entry.request_id || '—'}</Fact>
        <Fact name={t('log.seal')}>{entry.seq ?? t('log.unsealed')}</Fact>
        <Fact name={t('log.reason')}>{entry.reason || '—'}</Fact>
      </Facts>
    </Card>
  )
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const written = (value: unknown) => {
  if (value === undefined || value === null || value === '') return '—'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}

/** Each field that differs, as it was and as it became. */
function Difference({ entry: { before, after } }: { entry: AuditEntry }) {
  const { t } = useTranslation('console/trust')
  const fields = (value: unknown): Fields => {
    if (isFields(value)) return value
    return value === null || value === undefined ? {} : { [t('log.value')]: value }
  }
  const [was, is] = [fields(before), fields(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted()
  if (names.length === 0) return <Card>{t('log.noDifference')}</Card>
  return (
    <Card component="section" aria-label={t('log.difference')}>
      <Title order={2} size="h3" mb="sm">
        {t('log.difference')}
      </Title>
      <table className={classes.difference}>
        <thead>
          <tr>
            <th scope="col">{t('log.field')}</th>
            <th scope="col">{t('log.before')}</th>
            <th scope="col">{t('log.after')}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{written(was[name])}</td>
              <td>{written(is[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
