import { Card, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SystemFacts } from '@/lib/api/gen/staff/types.gen'
import { formatBytes } from '@/lib/bytes'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { NightlyCheck } from './nightly-check'
import { systemQuery } from './resources'
import { SigningKey } from './signing-key'

/** Versions and health of the server that answers. */
export function SystemPage() {
  const { t } = useTranslation('console/system')
  const query = useQuery(systemQuery())
  return (
    <div data-wide>
      <PageHeader title={t('system.title')} about={t('system.about')} />
      <Loaded query={query} skeleton={<Skeleton height={360} radius="lg" />} hasCards>
        {(facts) => (
          <Stack gap="lg">
            <Health facts={facts} />
            <Storage facts={facts} />
            <Versions facts={facts} />
            <ClickHouse facts={facts} />
            <SigningKey />
            <Card component="section" aria-label={t('system.backup')}>
              <Title order={2} size="h3" mb="sm">
                {t('system.backup')}
              </Title>
              <p>{t('system.backupAbout')}</p>
              <code>airstrip backup FILE</code>
            </Card>
          </Stack>
        )}
      </Loaded>
    </div>
  )
}

type Props = { facts: SystemFacts }

function Good({ isGood }: { isGood: boolean }) {
  const { t } = useTranslation('console/system')
  return (
    <StatusDot tone={isGood ? 'success' : 'error'}>
      {t(isGood ? 'system.good' : 'system.bad')}
    </StatusDot>
  )
}

function Health({ facts }: Props) {
  const { t } = useTranslation('console/system')
  return (
    <Card component="section" aria-label={t('system.health')}>
      <Title order={2} size="h3" mb="sm">
        {t('system.health')}
      </Title>
      <Facts>
        <Fact name={t('system.writable')}>
          <Good isGood={facts.is_writable} />
        </Fact>
        <Fact name={t('system.clock')}>
          <Good isGood={facts.is_clock_right} />
        </Fact>
        <Fact name={t('system.doctor')}>
          <NightlyCheck facts={facts} />
        </Fact>
      </Facts>
    </Card>
  )
}

/** What lies on the disk, how fast it grows, and for how long there is room. */
function Storage({ facts }: Props) {
  const { t } = useTranslation('console/system')
  const left = facts.disk_days_left
  return (
    <Card component="section" aria-label={t('system.storage')}>
      <Title order={2} size="h3" mb="sm">
        {t('system.storage')}
      </Title>
      <Facts>
        <Fact name={t('system.databaseSize')}>
          <Grown bytes={facts.database_bytes} daily={facts.database_daily_bytes} />
        </Fact>
        <Fact name={t('system.logSize')}>
          <Grown bytes={facts.traffic_log_bytes} daily={facts.traffic_log_daily_bytes} />
        </Fact>
        <Fact name={t('system.disk')}>
          <Bytes bytes={facts.disk_free_bytes} /> / <Bytes bytes={facts.disk_total_bytes} />
        </Fact>
        <Fact name={t('system.diskFull')}>
          {left === null ? (
            t(facts.database_daily_bytes === null ? 'system.notYet' : 'system.notSoon')
          ) : (
            <StatusDot tone={toneOf(left)}>
              {left >= MANY_DAYS ? t('system.inYears') : t('system.inDays', { count: left })}
            </StatusDot>
          )}
        </Fact>
      </Facts>
    </Card>
  )
}

/** From here on nobody plans by the number of days. */
const MANY_DAYS = 730

const toneOf = (days: number) => (days < 7 ? 'error' : days < 30 ? 'warning' : 'success')

function Grown({ bytes, daily }: { bytes: number; daily: number | null }) {
  const { t, i18n } = useTranslation('console/system')
  return (
    <>
      <Bytes bytes={bytes} />
      {daily !== null &&
        daily > 0 &&
        ` · ${t('system.daily', { value: formatBytes(daily, i18n.language) })}`}
    </>
  )
}

function Versions({ facts }: Props) {
  const { t } = useTranslation('console/system')
  return (
    <Card component="section" aria-label={t('system.versions')}>
      <Title order={2} size="h3" mb="sm">
        {t('system.versions')}
      </Title>
      <Facts>
        <Fact name="Airstrip">{facts.version}</Fact>
        <Fact name="Go">{facts.go_version}</Fact>
        <Fact name={t('system.started')}>
          <Moment time={facts.started_at} withTime />
        </Fact>
        <Fact name={t('system.database')}>
          {facts.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
        </Fact>
        <Fact name={t('system.schema')}>{facts.schema_version}</Fact>
      </Facts>
    </Card>
  )
}

function ClickHouse({ facts }: Props) {
  const { t } = useTranslation('console/system')
  return (
    <Card component="section" aria-label="ClickHouse">
      <Title order={2} size="h3" mb="sm">
        ClickHouse
      </Title>
      {facts.has_click_house ? (
        <Facts>
          <Fact name={t('state')}>
            <Good isGood={facts.is_click_house_up} />
          </Fact>
          <Fact name={t('system.waitingDays')}>{facts.click_house_waiting_days}</Fact>
          <Fact name={t('system.differingDays')}>{facts.click_house_differing_days}</Fact>
        </Facts>
      ) : (
        <p>{t('system.noClickHouse')}</p>
      )}
    </Card>
  )
}
