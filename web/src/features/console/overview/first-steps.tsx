import { Card, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OverviewStep } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'
import type { RowLink } from '../parts/resource'
import classes from './overview.module.css'

/** Where each step is done. */
const pages: Record<OverviewStep['key'], RowLink> = {
  site: { to: '/admin/settings', search: { area: 'site' } as never },
  mail: { to: '/admin/settings', search: { area: 'mail' } as never },
  gateway: { to: '/admin/gateways/new' },
  plan: { to: '/admin/plans/new' },
  // One that is not online may be there already.
  node: { to: '/admin/nodes' },
  purchase: { to: '/user/services/buy' },
}

/** What was done, to look at. */
const lists: Partial<Record<OverviewStep['key'], RowLink>> = {
  gateway: { to: '/admin/gateways' },
  plan: { to: '/admin/plans' },
  purchase: { to: '/admin/orders' },
}

/** What a new site needs before it sells; nothing once all of it is done. */
export function FirstSteps({ steps }: { steps: readonly OverviewStep[] }) {
  const { t } = useTranslation('console/overview')
  if (steps.every((step) => step.is_done)) return null
  const done = steps.filter((step) => step.is_done).length
  return (
    <Card component="section" aria-label={t('steps.title')} mb="lg">
      <Title order={2} size="h3">
        {t('steps.title')}
      </Title>
      <p>{t('steps.about', { done, count: steps.length })}</p>
      <ol className={classes.steps}>
        {steps.map(({ key, is_done: isDone }) => (
          <li key={key}>
            <Link {...((isDone && lists[key]) || pages[key])} className={classes.step}>
              <span>
                <b>{t(`steps.${key}`)}</b>
                <span className={classes.about}>{t(`steps.${key}About`)}</span>
              </span>
              <StatusDot tone={isDone ? 'success' : 'neutral'}>
                {t(isDone ? 'steps.done' : 'steps.open')}
              </StatusDot>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}
