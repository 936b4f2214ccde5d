import { useQueryClient } from '@tanstack/react-query'
import { AtSign, Eye, KeyRound, Link2Off, LogOut, ShieldOff, Tags, UserRoundX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffUserClose,
  staffUserEmailReplace,
  staffUserLabelsSet,
  staffUserLinkReset,
  staffUserPasswordMail,
  staffUserSessionsEnd,
  staffUserSignInAs,
  staffUserTwoFactorOff,
} from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { useMoneyText } from '../parts/use-money-text'

const isOpen = ({ state }: UserDetail) => state !== 'closed'

/** What may be done to the account of a user. */
export function useAccountActions(): Action<UserDetail>[] {
  return [useSignInAs(), useLabels(), useEmail(), ...useRecovery(), useClose()]
}

/** The user's pages open in a tab of their own, which the member's session does not leave. */
function useSignInAs(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'signInAs',
    icon: Eye,
    title: t('signInAs.title'),
    permission: 'user.sign_in_as',
    danger: 'R',
    isShown: (user) => isOpen(user) && !user.role,
    effect: ({ email }) => t('signInAs.effect', { email }),
    run: async ({ id }, { reason }) => {
      const { data } = await staffUserSignInAs({
        path: { user_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      })
      const tab = window.open(`/auth/sign-in-as#${data.code}`, '_blank')
      if (!tab) throw new Error(t('signInAs.blocked'))
      tab.opener = null
    },
    done: ({ email }) => t('signInAs.done', { email }),
  }
}

/** Where another member set other labels meanwhile, the dialog says so and shows those. */
function useLabels(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  const client = useQueryClient()
  return {
    key: 'labels',
    icon: Tags,
    title: t('labels.title'),
    permission: 'user.label',
    danger: 'C',
    isShown: isOpen,
    fields: ({ labels }) => [
      {
        name: 'labels',
        label: t('labels.all'),
        hint: t('labels.hint'),
        kind: 'lines',
        initial: labels.join('\n'),
      },
    ],
    effect: ({ email, labels }) =>
      labels.length > 0
        ? t('labels.has', { email, labels: labels.join(', ') })
        : t('labels.none', { email }),
    run: ({ id, labels: was }, { labels }) =>
      staffUserLabelsSet({
        path: { user_id: id },
        body: { labels: String(labels).split('\n').filter(Boolean), was },
        throwOnError: true,
      }).catch(async (error: unknown) => {
        await client.invalidateQueries({ queryKey: ['console'] })
        throw error
      }),
    done: ({ email }) => t('labels.done', { email }),
  }
}

type Reasoned = (options: {
  path: { user_id: number }
  body: { reason: string }
  throwOnError: true
}) => Promise<unknown>

/** Those that take nothing but a reason. */
function useRecovery(): Action<UserDetail>[] {
  const { t } = useTranslation('console/user-actions')
  const of = (
    key: 'password' | 'sessions' | 'link' | 'twoFactor',
    icon: NonNullable<Action<UserDetail>['icon']>,
    permission: string,
    call: Reasoned,
  ): Action<UserDetail> => ({
    key,
    icon,
    title: t(`recover.title.${key}`),
    permission,
    danger: 'R',
    isShown: isOpen,
    effect: ({ email }) => t(`recover.effect.${key}`, { email }),
    run: ({ id }, { reason }) =>
      call({ path: { user_id: id }, body: { reason: String(reason) }, throwOnError: true }),
    done: ({ email }) => t(`recover.done.${key}`, { email }),
  })
  return [
    of('password', KeyRound, 'user.recover', staffUserPasswordMail),
    of('sessions', LogOut, 'user.recover', staffUserSessionsEnd),
    of('link', Link2Off, 'user.recover', staffUserLinkReset),
    of('twoFactor', ShieldOff, 'user.two_factor.off', staffUserTwoFactorOff),
  ]
}

function useEmail(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'email',
    icon: AtSign,
    title: t('email.title'),
    permission: 'user.email.replace',
    danger: 'R',
    isShown: isOpen,
    fields: () => [
      {
        name: 'present_email',
        label: t('email.present'),
        hint: t('email.presentHint'),
        kind: 'text',
        isRequired: true,
      },
      { name: 'email', label: t('email.new'), kind: 'text', isRequired: true },
    ],
    effect: ({ email }) => t('email.effect', { email }),
    run: ({ id }, { present_email: present, email, reason }) =>
      staffUserEmailReplace({
        path: { user_id: id },
        body: { present_email: String(present), email: String(email), reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ email }) => t('email.done', { email }),
  }
}

function useClose(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  const money = useMoneyText()
  return {
    key: 'close',
    icon: UserRoundX,
    title: t('close.title'),
    permission: 'user.close',
    danger: 'T',
    isShown: isOpen,
    effect: ({ email, wallet }) => t('close.effect', { email, amount: money(wallet.forfeit) }),
    typed: ({ email }) => email,
    run: ({ id, email, wallet }, { reason }) =>
      staffUserClose({
        path: { user_id: id },
        body: { email, forfeit: wallet.forfeit, reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ email }) => t('close.done', { email }),
  }
}
