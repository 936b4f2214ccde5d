import { Card, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { staffCouponChange, staffCouponMake } from '@/lib/api/gen/staff/sdk.gen'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { Maker } from '../parts/person'
import { usePlanName } from '../parts/plan-names'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { useCouponSections } from './coupon-form'
import { CouponState } from './coupon-state'
import { blankCoupon, couponBody, couponChange, couponValues } from './coupon-values'
import { Off, useCouponActions } from './coupon-actions'
import { couponOf } from './resource'

const route = getRouteApi('/admin/coupons/$id')

/** One coupon: what it takes off, how often it was used, and its terms. */
export function CouponPage() {
  const { t } = useTranslation('console/coupon')
  const { id } = route.useParams()
  const query = useQuery(couponOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header coupon={query.data} /> : <PageHeader title={t('one')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(coupon) => <Coupon key={id} coupon={coupon} />}
      </Loaded>
    </div>
  )
}

const page = { to: '/admin/coupons' } as const
const list = (title: string) => ({ title, link: page })

function Header({ coupon }: { coupon: CouponItem }) {
  const { t } = useTranslation('console/coupon')
  return (
    <DetailHeader
      list={list(t('title'))}
      title={coupon.code}
      state={<CouponState coupon={coupon} />}
      about={`#${coupon.id}`}
      menu={<ActionMenu subject={coupon} name={coupon.code} actions={useCouponActions()} />}
    />
  )
}

function Coupon({ coupon }: { coupon: CouponItem }) {
  const may = useMay()
  return may('coupon.write') && !coupon.declined && !coupon.waits ? (
    <Edit coupon={coupon} />
  ) : (
    <Use coupon={coupon} />
  )
}

/** How often it was used, leading to the orders that did. */
function Use({ coupon }: { coupon: CouponItem }) {
  const { t } = useTranslation('console/coupon')
  const may = useMay()
  const planName = usePlanName()
  const plans = coupon.plans.map((id) => planName(id) ?? `#${id}`)
  return (
    <Card component="section" aria-label={t('section.facts')}>
      <Title order={2} size="h3" mb="sm">
        {t('section.facts')}
      </Title>
      {coupon.proposed && <Notice tone="warning">{t('changeWaits')}</Notice>}
      <Facts>
        <Fact name={t('column.off')}>
          <Off coupon={coupon} />
        </Fact>
        <Fact name={t('field.plans')}>{plans.join(', ') || t('allPlans')}</Fact>
        <Fact name={t('column.used')}>{`${coupon.taken} / ${coupon.total ?? '∞'}`}</Fact>
        <Fact name={t('column.maker')}>
          <Maker id={coupon.made_by} email={coupon.made_by_email} none={t('operator')} />
        </Fact>
        <Fact name={t('column.created')}>
          <Moment time={coupon.created_at} withTime />
        </Fact>
      </Facts>
      {may('order.read') && (
        <Text mt="sm">
          <TextLink to="/admin/orders" search={{ coupon: coupon.id } as never} underline="hover">
            {t('redemptions')}
          </TextLink>
        </Text>
      )}
    </Card>
  )
}

function Edit({ coupon }: { coupon: CouponItem }) {
  const { t } = useTranslation('console/coupon')
  const leave = useLeave()
  const { edited, reload } = useEdited(coupon, couponOf(String(coupon.id)), couponValues)
  const sections = useCouponSections(edited)
  const save = (values: FormValues, changed: readonly string[]) =>
    staffCouponChange({
      path: { coupon_id: edited.id },
      headers: { 'If-Match': `"${edited.version}"` },
      body: couponChange(values, changed),
      throwOnError: true,
    })
  const aside = () => <Use coupon={edited} />
  return (
    <ResourceForm
      draftKey={`coupon:${edited.id}`}
      initial={couponValues(edited)}
      sections={sections}
      submit={t('save')}
      save={save}
      reload={reload}
      onSaved={() => leave(page, t('saved', { code: edited.code }))}
      aside={aside}
    />
  )
}

/** A new coupon. */
export function NewCouponPage() {
  const { t } = useTranslation('console/coupon')
  const sections = useCouponSections()
  const leave = useLeave()
  const isWaiting = useRef(false)
  return (
    <div data-wide>
      <DetailHeader list={list(t('title'))} title={t('new')} />
      <ResourceForm
        draftKey="coupon:new"
        initial={blankCoupon}
        isNew
        sections={sections}
        submit={t('make')}
        confirm={(values) => t('makeEffect', { code: String(values.code).toUpperCase() })}
        save={async (values) => {
          const { data } = await staffCouponMake({ body: couponBody(values), throwOnError: true })
          isWaiting.current = data.waits
        }}
        onSaved={() => leave(page, t(isWaiting.current ? 'madeWaits' : 'made'))}
      />
    </div>
  )
}
