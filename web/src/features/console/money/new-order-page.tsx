import { Button, Card, Group, Skeleton, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffOrderMakeRules } from '@/lib/api/gen/staff/rules.gen'
import { staffGatewaysList, staffPlansList, staffUsers } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan, UserDetail } from '@/lib/api/gen/staff/types.gen'
import { toAmount } from '@/lib/money'
import { useCurrency } from '@/lib/currency'
import { Loaded } from '@/ui/loaded'
import { DetailHeader } from '../parts/detail-header'
import type { Field } from '../parts/field'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import { type FormSection, type FormValues, ResourceForm } from '../parts/resource-form'
import { useMoneyText } from '../parts/use-money-text'
import { useOwnName } from '../parts/use-own-name'
import { userOf } from '../users/resource'
import { OrderPreview } from './order-preview'
import { amount, below, blank, isRunning, planIn, sold, wantedOf } from './order-values'
import { useMakeOrder } from './use-make-order'

const route = getRouteApi('/admin/orders/new')

/** An order that staff makes for a user, who pays it, has paid it, or gets it as a gift. */
export function NewOrderPage() {
  const { t } = useTranslation('console/order')
  const { t: money } = useTranslation('console/money')
  const { user } = route.useSearch()
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: money('orders.title'), link: { to: '/admin/orders' } }}
        title={t('title')}
      />
      {user === undefined ? <ChooseUser /> : <ForUser key={user} id={String(user)} />}
    </div>
  )
}

/** Asks for whom; the user stands in the address. */
function ChooseUser() {
  const { t } = useTranslation('console/order')
  const navigate = useNavigate()
  const [given, setGiven] = useState('')
  const [problem, setProblem] = useState<string>()
  const find = async (event: FormEvent) => {
    event.preventDefault()
    const typed = given.trim()
    const user = /^\d+$/.test(typed) ? Number(typed) : await numberOf(typed)
    if (user === undefined) setProblem(t('noUser'))
    else await navigate({ to: '/admin/orders/new', search: { user } })
  }
  return (
    <Card component="form" onSubmit={(event: FormEvent) => void find(event)}>
      <Group align="flex-end">
        <TextInput
          label={t('user')}
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          error={problem}
          required
          maw={360}
          flex={1}
        />
        <Button type="submit">{t('next')}</Button>
      </Group>
    </Card>
  )
}

async function numberOf(email: string) {
  const { data } = await staffUsers({ query: { q: email } })
  return data?.rows.find((row) => row.email === email.toLowerCase())?.id
}

function ForUser({ id }: { id: string }) {
  const user = useQuery(userOf(id))
  const plans = useQuery({
    queryKey: ['console', 'plans', 'sold'],
    queryFn: async ({ signal }) =>
      sold((await staffPlansList({ signal, throwOnError: true })).data),
  })
  return (
    <Loaded query={user} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
      {(found) => (
        <Loaded query={plans} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
          {(all) => <Form user={found} plans={all} />}
        </Loaded>
      )}
    </Loaded>
  )
}

function Form({ user, plans }: { user: UserDetail; plans: readonly StaffPlan[] }) {
  const { t } = useTranslation('console/order')
  const may = useMay()
  const money = useMoneyText()
  const { data: ways } = useQuery({
    queryKey: ['console', 'gateways', 'open'],
    queryFn: async ({ signal }) =>
      (await staffGatewaysList({ signal, throwOnError: true })).data.filter(
        ({ enabled }) => enabled,
      ),
    enabled: may('gateway.read'),
  })
  const gateway = (values: FormValues) => String(values.gateway || (ways?.[0]?.name ?? ''))
  const { make, leave, lead } = useMakeOrder(user)
  const preview = (values: FormValues) => (
    <OrderPreview user={user} wanted={wantedOf(values, plans)} />
  )
  return (
    <ResourceForm
      draftKey={`orders:new:${user.id}`}
      initial={blank}
      isNew
      sections={[
        useWhat(user, plans),
        usePayment(
          plans,
          (ways ?? []).map(({ name, title_en: title }) => ({
            value: name,
            label: title || name,
          })),
        ),
      ]}
      submit={t('make')}
      confirm={(values) => {
        const wanted = wantedOf(values, plans)
        const less = wanted ? below(wanted) : 0
        const effect = t(`effect.${values.pay as 'wallet'}`, { email: user.email })
        if (less === 0 || wanted?.pay === 'free') return effect
        return `${effect} ${t('effect.below', { amount: money(toAmount(less)) })}`
      }}
      save={async (values) => {
        const wanted = wantedOf(values, plans)
        if (wanted) await make(values, wanted, gateway(values))
      }}
      onSaved={leave}
      onReceived={lead}
      aside={preview}
    />
  )
}

/** What the user gets. */
function useWhat(user: UserDetail, plans: readonly StaffPlan[]): FormSection {
  const { t } = useTranslation('console/order')
  const money = useMoneyText()
  const ownName = useOwnName()
  const fields = (values: FormValues): Field[] => {
    const plan = planIn(values, plans)
    return [
      {
        name: 'plan',
        label: t('field.plan'),
        kind: 'choice',
        options: plans.map((one) => ({
          value: String(one.id),
          label: `${ownName(one)} (#${one.id})`,
        })),
      },
      ...(plan?.kind === 'plan' ? [months(plan), how(plan)] : []),
      ...(plan?.kind === 'plan' && !String(values.how).startsWith('renew')
        ? [{ name: 'auto_renew', label: t('field.auto_renew'), kind: 'switch' as const }]
        : []),
    ]
  }
  const months = (plan: StaffPlan): Field => ({
    name: 'months',
    label: t('field.months'),
    kind: 'choice',
    options: plan.prices.map((price) => ({
      value: String(price.months),
      label: `${t('months', { count: price.months })} · ${money(price.amount)}`,
    })),
  })
  const how = (plan: StaffPlan): Field => ({
    name: 'how',
    label: t('field.how'),
    kind: 'choice',
    options: [
      { value: 'new', label: t('how.new') },
      ...user.services.flatMap((one) => {
        if (one.plan_id === plan.id)
          return isRunning(one) || one.end_reason === 'expired'
            ? [{ value: `renew:${one.id}`, label: t('how.renew', { name: one.name, id: one.id }) }]
            : []
        return isRunning(one)
          ? [{ value: `change:${one.id}`, label: t('how.change', { name: one.name, id: one.id }) }]
          : []
      }),
    ],
  })
  return { title: t('section.what'), fields, foot: <Person user={user} /> }
}

/** What it costs, and how it is paid. */
function usePayment(plans: readonly StaffPlan[], ways: Field['options'] & {}): FormSection {
  const { t } = useTranslation('console/order')
  const may = useMay()
  const currency = useCurrency()
  const money = useMoneyText()
  const pays = [
    'wallet' as const,
    ...(ways.length > 0 ? (['user'] as const) : []),
    ...(ways.length > 0 && may('payment.confirm') ? (['paid'] as const) : []),
    ...(may('service.give') ? (['free'] as const) : []),
  ]
  const fields = (values: FormValues): Field[] => [
    {
      name: 'pay',
      label: t('field.pay'),
      kind: 'choice',
      options: pays.map((value) => ({ value, label: t(`pay.${value}`) })),
    },
    ...(values.pay === 'user' || values.pay === 'paid'
      ? [{ name: 'gateway', label: t('field.gateway'), kind: 'choice' as const, options: ways }]
      : []),
    ...(values.pay === 'free'
      ? []
      : [
          {
            name: 'price',
            label: t('field.price', { currency }),
            hint: t('priceHint', { listed: money(wantedOf(values, plans)?.listed ?? '0') }),
            kind: 'money' as const,
            rules: { pattern: amount },
          },
        ]),
    {
      name: 'reason',
      label: t('field.reason'),
      kind: 'textarea',
      isRequired: true,
      rules: staffOrderMakeRules.reason,
    },
  ]
  return { title: t('section.payment'), fields }
}
