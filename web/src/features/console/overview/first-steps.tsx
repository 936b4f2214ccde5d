import { Card, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OverviewStep } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'
import { formPermissionAt } from '../parts/form-permissions'
import { useMay } from '../parts/permissions'
import type { RowLink } from '../parts/resource'
import classes from './overview.module.css'

/** Where each step is done. */
const pages: Record<OverviewStep['key'], RowLink> = {
  site: { to: '/admin/settings', search: { area: 'site' } as never },
  contact: { to: '/admin/settings', search: { area: 'site' } as never },
  mail: { to: '/admin/settings', search: { area: 'mail' } as never },
  gateway: { to: '/admin/gateways/new' },
  plan: { to: '/admin/plans/new' },
  // One that is not online may be there already.
  node: { to: '/admin/nodes' },
  purchase: { to: '/user/services/buy' },
}

/** What was done, to look at; also for a member who may not do it. */
const lists: Partial<Record<OverviewStep['key'], RowLink>> = {
  gateway: { to: '/admin/gateways' },
  plan: { to: '/admin/plans' },
  purchase: { to: '/admin/orders' },
}

/** What a new site needs before it sells; nothing once all of it is done. */
export function FirstSteps({ steps }: { steps: readonly OverviewStep[] }) {
  const { t } = useTranslation('console/overview')
  const may = useMay()
  if (steps.every((step) => step.is_done)) return null
  const linkOf = ({ key, is_done: isDone }: OverviewStep) => {
    const permission = formPermissionAt(String(pages[key].to))
    const isToDo = !isDone && (permission === undefined || may(permission))
    return (!isToDo && lists[key]) || pages[key]
  }
  const done = steps.filter((step) => step.is_done).length
  return (
    <Card component="section" aria-label={t('steps.title')} mb="lg">
      <Title order={2} size="h3">
        {t('steps.title')}
      </Title>
      <p>{t('steps.about', { done, count: steps.length })}</p>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.key}>
            <Link {...linkOf(step)} className={classes.step}>
              <span>
                <b>{t(`steps.${step.key}`)}</b>
                <span className={classes.about}>{t(`steps.${step.key}About`)}</span>
              </span>
              <StatusDot tone={step.is_done ? 'success' : 'neutral'}>
                {t(step.is_done ? 'steps.done' : 'steps.open')}
              </StatusDot>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}
