import { Button, Card, Group, NativeSelect, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PlugZap } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffGatewayAdd, staffGatewayChange, staffGatewayTest } from '@/lib/api/gen/staff/sdk.gen'
import type { GatewayAccount, GatewayKind } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { CopyButton } from '@/ui/copy-button'
import { useCurrency } from '@/lib/currency'
import { Loaded } from '@/ui/loaded'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { useGatewayActions } from './gateway-actions'
import { atFields, useGatewaySections } from './gateway-form'
import { gatewayKinds, gatewayOf } from './gateway-resource'
import { blankGateway, gatewayChange, gatewayValues } from './gateway-values'
import { GatewayState, hasNotifies, notifyAddress } from './gateway-state'

const route = getRouteApi('/admin/gateways/$id')
const skeleton = <Skeleton height={480} radius="lg" />

/** One account with a payment platform. */
export function GatewayPage() {
  const { t } = useTranslation('console/gateway')
  const { id } = route.useParams()
  const query = useQuery(gatewayOf(id))
  requireFound(query)
  const kinds = useQuery(gatewayKinds())
  return (
    <div data-wide>
      {query.data ? <Header gateway={query.data} /> : <PageHeader title={t('one')} />}
      <Loaded query={query} skeleton={skeleton} hasCards>
        {(gateway) => (
          <Loaded query={kinds} skeleton={skeleton} hasCards>
            {(all) => <Gateway key={id} gateway={gateway} kinds={all} />}
          </Loaded>
        )}
      </Loaded>
    </div>
  )
}

const page = { to: '/admin/gateways' } as const
const list = (title: string) => ({ title, link: page })

function Header({ gateway }: { gateway: GatewayAccount }) {
  const { t } = useTranslation('console/gateway')
  return (
    <DetailHeader
      list={list(t('title'))}
      title={gateway.name}
      state={<GatewayState gateway={gateway} />}
      about={gateway.kind}
      menu={<ActionMenu subject={gateway} name={gateway.name} actions={useGatewayActions()} />}
    />
  )
}

function Gateway({ gateway, kinds }: { gateway: GatewayAccount; kinds: readonly GatewayKind[] }) {
  const may = useMay()
  const kind = kinds.find(({ name }) => name === gateway.kind)
  return kind && may('gateway.write') ? (
    <Edit gateway={gateway} kind={kind} />
  ) : (
    <Connection gateway={gateway} />
  )
}

/** A test and, where the platform sends notifies, the address of those to copy. */
function Connection({ gateway }: { gateway: GatewayAccount }) {
  const { t } = useTranslation('console/gateway')
  const { t: common } = useTranslation()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isNotified = hasNotifies(gateway.kind)
  const test = async () => {
    setBusy(true)
    try {
      const { data } = await staffGatewayTest({
        path: { gateway_id: gateway.id },
        throwOnError: true,
      })
      setProblem(data.problem)
    } catch (error) {
      setProblem(problemText(error, common))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card component="section" aria-label={t('section.connection')}>
      <Title order={2} size="h3" mb="sm">
        {t('section.connection')}
      </Title>
      {isNotified && (
        <>
          <Text size="sm" c="dimmed">
            {t('column.notify')}
          </Text>
          <Text mb="xs" style={{ overflowWrap: 'anywhere' }}>
            {notifyAddress(gateway)}
          </Text>
        </>
      )}
      <Group gap="xs" mb="md">
        {isNotified && (
          <CopyButton size="sm" text={notifyAddress(gateway)} name={t('column.notify')} />
        )}
        <Button
          size="sm"
          variant="default"
          loading={isBusy}
          leftSection={<PlugZap size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => void test()}
        >
          {t('test')}
        </Button>
      </Group>
      {problem === '' && <Text role="status">{t('works')}</Text>}
      {problem && <Notice tone="error">{t('problem', { problem })}</Notice>}
    </Card>
  )
}

function Edit({ gateway, kind }: { gateway: GatewayAccount; kind: GatewayKind }) {
  const { t } = useTranslation('console/gateway')
  const { edited, reload } = useEdited(gateway, gatewayOf(String(gateway.id)), (one) =>
    gatewayValues(one, kind),
  )
  const sections = useGatewaySections(kind, edited)
  const leave = useLeave()
  const save = (values: FormValues, changed: readonly string[]) =>
    atFields(
      staffGatewayChange({
        path: { gateway_id: edited.id },
        headers: { 'If-Match': `"${edited.version}"` },
        body: gatewayChange(kind, values, changed),
        throwOnError: true,
      }),
    )
  const aside = () => <Connection gateway={edited} />
  return (
    <ResourceForm
      draftKey={`gateway:${edited.id}`}
      initial={gatewayValues(edited, kind)}
      sections={sections}
      submit={t('save')}
      confirm={(_, changed) =>
        changed.some((name) => name.startsWith('credentials_'))
          ? t('credentialsEffect', { name: edited.name })
          : undefined
      }
      save={save}
      reload={reload}
      onSaved={() => leave(page, t('saved', { name: edited.name }))}
      aside={aside}
    />
  )
}

/** A new account: its kind first, then what that needs. */
export function NewGatewayPage() {
  const { t } = useTranslation('console/gateway')
  const kinds = useQuery(gatewayKinds())
  return (
    <div data-wide>
      <DetailHeader list={list(t('title'))} title={t('new')} />
      <Loaded query={kinds} skeleton={skeleton} hasCards>
        {(all) => <Choice kinds={all} />}
      </Loaded>
    </div>
  )
}

function Choice({ kinds }: { kinds: readonly GatewayKind[] }) {
  const { t } = useTranslation('console/gateway')
  const [name, setName] = useState(kinds[0]?.name)
  const kind = kinds.find((one) => one.name === name)
  return (
    <>
      <NativeSelect
        mb="md"
        maw="24rem"
        label={t('column.kind')}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data={kinds.map((one) => ({ value: one.name, label: one.title }))}
      />
      {kind && <New key={kind.name} kind={kind} />}
    </>
  )
}

function New({ kind }: { kind: GatewayKind }) {
  const { t } = useTranslation('console/gateway')
  const sections = useGatewaySections(kind)
  const leave = useLeave()
  const currency = useCurrency()
  return (
    <ResourceForm
      draftKey={`gateway:new:${kind.name}`}
      initial={blankGateway(kind, currency)}
      isNew
      sections={sections}
      submit={t('add')}
      save={(values) =>
        atFields(
          staffGatewayAdd({
            body: {
              ...gatewayChange(kind, values, Object.keys(values)),
              kind: kind.name,
              name: String(values.name).trim(),
            },
            throwOnError: true,
          }),
        )
      }
      onSaved={() => leave(page, t('added'))}
    />
  )
}
