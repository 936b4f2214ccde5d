import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { dashboardGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { Access } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'

/** Why there are no nodes for the user, and what helps. */
export function NoNodes() {
  const { t } = useTranslation('node')
  const dashboard = useQuery(dashboardGetOptions())
  return (
    <Card>
      <Loaded query={dashboard} skeleton={null}>
        {({ access: { state } }) => (
          <Empty icon={Globe} text={t(`empty.${state}`)} action={<Help state={state} />} />
        )}
      </Loaded>
    </Card>
  )
}

/** The one thing that brings the nodes back. */
export function Help({ state }: { state: Access['state'] }) {
  const { t } = useTranslation('node')
  if (state === 'active') return null
  if (state === 'banned') return <ButtonLink to="/user/dashboard">{t('action.why')}</ButtonLink>
  return <ButtonLink to="/user/services/buy">{t(`action.${state}`)}</ButtonLink>
}
