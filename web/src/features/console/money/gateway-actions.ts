import { CirclePause, CirclePlay, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffGatewayChange, staffGatewayRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { GatewayAccount } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

/** What may be done with a gateway beside changing it. */
export function useGatewayActions(): Action<GatewayAccount>[] {
  const { t } = useTranslation('console/gateway')
  const set = (enabled: boolean) => (gateway: GatewayAccount) =>
    staffGatewayChange({
      path: { gateway_id: gateway.id },
      headers: { 'If-Match': `"${gateway.version}"` },
      body: { enabled },
      throwOnError: true,
    })
  return [
    {
      key: 'disable',
      icon: CirclePause,
      title: t('disable'),
      permission: 'gateway.write',
      danger: 'C',
      isShown: ({ enabled }) => enabled,
      effect: ({ name }) => t('disableEffect', { name }),
      run: set(false),
      done: ({ name }) => t('disabled', { name }),
    },
    {
      key: 'enable',
      icon: CirclePlay,
      title: t('enable'),
      permission: 'gateway.write',
      danger: 'C',
      isShown: ({ enabled }) => !enabled,
      effect: ({ name }) => t('enableEffect', { name }),
      run: set(true),
      done: ({ name }) => t('enabled', { name }),
    },
    {
      key: 'remove',
      icon: Trash2,
      title: t('remove'),
      permission: 'gateway.write',
      danger: 'C',
      effect: ({ name }) => t('removeEffect', { name }),
      run: ({ id }) => staffGatewayRemove({ path: { gateway_id: id }, throwOnError: true }),
      done: ({ name }) => t('removed', { name }),
    },
  ]
}
