import { Card, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SystemFacts } from '@/lib/api/gen/staff/types.gen'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { NightlyCheck } from './nightly-check'
import { systemQuery } from './resources'

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
            <Versions facts={facts} />
            <ClickHouse facts={facts} />
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
        <Fact name={t('system.disk')}>
          <Bytes bytes={facts.disk_free_bytes} /> / <Bytes bytes={facts.disk_total_bytes} />
        </Fact>
      </Facts>
    </Card>
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
        <Fact name={t('system.databaseSize')}>
          <Bytes bytes={facts.database_bytes} />
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
