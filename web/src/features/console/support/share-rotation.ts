import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffShareAccountRotateRules as rules } from '@/lib/api/gen/staff/rules.gen'
import { staffShareAccountRotate } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

/** A new secret in place of the one that users have seen. */
export function useRotation(): Action<StaffShareAccount> {
  const { t } = useTranslation('console/support')
  return {
    key: 'rotate',
    icon: KeyRound,
    title: t('shares.rotate'),
    permission: 'shareaccount.write',
    danger: 'C',
    fields: () => [
      {
        name: 'password',
        label: t('share.password'),
        kind: 'secret',
        isRequired: true,
        rules: rules.password,
      },
      {
        name: 'totp',
        label: t('share.totp'),
        hint: t('hint.totpStays'),
        kind: 'secret',
        rules: rules.totp,
      },
    ],
    effect: ({ name, users }) => t('shares.rotateEffect', { name, count: users }),
    run: ({ id }, { password, totp }) =>
      staffShareAccountRotate({
        path: { account_id: id },
        body: { password: String(password), ...(totp && { totp: String(totp) }) },
        throwOnError: true,
      }),
    done: ({ name }) => t('shares.rotatedDone', { name }),
  }
}
