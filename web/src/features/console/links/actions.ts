import { Link2Off } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffUserLinkReset } from '@/lib/api/gen/staff/sdk.gen'
import type { PersonRef } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

/** Gives the user of a link another one. */
export function useReset(): Action<{ user: PersonRef }> {
  const { t } = useTranslation('console/link')
  return {
    key: 'reset',
    icon: Link2Off,
    title: t('reset.title'),
    permission: 'user.recover',
    danger: 'R',
    isShown: ({ user }) => user.email !== '',
    effect: ({ user: { email } }) => t('reset.effect', { email }),
    run: ({ user }, { reason }) =>
      staffUserLinkReset({
        path: { user_id: user.id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ user: { email } }) => t('reset.done', { email }),
  }
}
