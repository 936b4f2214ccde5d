import { Ban, CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffUserBanRules as rules } from '@/lib/api/gen/staff/rules.gen'
import { staffUserBan, staffUserUnban } from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import type { Field } from '../parts/field'

/** Keeping a user out, and letting them in again. */
export function useBanActions(): Action<UserDetail>[] {
  return [useBan(), useUnban()]
}

function useBan(): Action<UserDetail> {
  const { t } = useTranslation('console/user')
  const fields: Field[] = [
    {
      name: 'reason',
      label: t('ban.reason'),
      hint: t('ban.reasonHint'),
      kind: 'textarea',
      isRequired: true,
      rules: rules.reason,
    },
    { name: 'remark', label: t('ban.remark'), kind: 'text', rules: rules.remark },
    { name: 'ends_at', label: t('ban.ends'), hint: t('ban.endsHint'), kind: 'datetime' },
    { name: 'mail', label: t('ban.mail'), kind: 'switch' },
  ]
  return {
    key: 'ban',
    icon: Ban,
    title: t('ban.ban'),
    permission: 'user.ban',
    danger: 'R',
    isShown: ({ state }) => state !== 'banned' && state !== 'closed',
    fields: () => fields,
    effect: ({ email }) => t('ban.effect', { email }),
    run: ({ id }, { reason, remark, ends_at: ends, mail }) =>
      staffUserBan({
        path: { user_id: id },
        body: {
          reason: String(reason),
          mail: mail === true,
          ...(remark && { remark: String(remark) }),
          ...(ends && { ends_at: new Date(String(ends)).toISOString() }),
        },
        throwOnError: true,
      }),
    done: ({ email }) => t('ban.done', { email }),
  }
}

function useUnban(): Action<UserDetail> {
  const { t } = useTranslation('console/user')
  return {
    key: 'unban',
    icon: CircleCheck,
    title: t('ban.unban'),
    permission: 'user.ban',
    danger: 'C',
    isShown: ({ state }) => state === 'banned',
    effect: ({ email }) => t('ban.unbanEffect', { email }),
    run: ({ id }) => staffUserUnban({ path: { user_id: id }, throwOnError: true }),
    done: ({ email }) => t('ban.unbanDone', { email }),
  }
}
