import { CircleCheck, type LucideIcon, PowerOff, Plus, RotateCw, Scale, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { staffEmbySet } from '@/lib/api/gen/staff/sdk.gen'
import type { MediaAccount } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { findUser } from '../parts/find-user'
import { personText } from '../parts/person-text'

type State = MediaAccount['wanted']

/** How staff calls an account: by its user. */
export const nameOf = ({ email, user_id: id }: MediaAccount) => personText({ id, email })

const set = (user: number, state: State, isHeld = true) =>
  staffEmbySet({
    path: { user_id: user },
    body: { state, is_held: isHeld },
    throwOnError: true,
  })

/** What may be done with an account on the media server. */
export function useMediaActions(): Action<MediaAccount>[] {
  return [useRetry(), ...useStates(), useRelease()]
}

const changes: readonly {
  key: 'make' | 'turnOn' | 'turnOff' | 'remove'
  icon: LucideIcon
  state: State
  from: readonly State[]
}[] = [
  { key: 'make', icon: Plus, state: 'enabled', from: ['none'] },
  { key: 'turnOn', icon: CircleCheck, state: 'enabled', from: ['disabled'] },
  { key: 'turnOff', icon: PowerOff, state: 'disabled', from: ['enabled'] },
  { key: 'remove', icon: Trash2, state: 'none', from: ['enabled', 'disabled'] },
]

function useStates(): Action<MediaAccount>[] {
  const { t } = useTranslation('console/media')
  return changes.map(({ key, icon, state, from }): Action<MediaAccount> => ({
    key,
    icon,
    title: t(`change.${key}.title`),
    permission: 'media.write',
    danger: 'C',
    isShown: ({ wanted }) => from.includes(wanted),
    effect: (account) => t(`change.${key}.effect`, { user: nameOf(account) }),
    run: ({ user_id: user }) => set(user, state),
    done: (account) => t(`change.${key}.done`, { user: nameOf(account) }),
  }))
}

/** Asks the media server once more for what it failed to do. */
function useRetry(): Action<MediaAccount> {
  const { t } = useTranslation('console/media')
  return {
    key: 'retry',
    icon: RotateCw,
    title: t('retry.title'),
    permission: 'media.write',
    danger: 'C',
    isShown: ({ standing }) => standing === 'failed',
    effect: (account) => t('retry.effect', { user: nameOf(account) }),
    run: ({ user_id: user, wanted, is_held: isHeld }) => set(user, wanted, isHeld),
    done: (account) => t('retry.done', { user: nameOf(account) }),
  }
}

/** Lets the plan decide about an account that staff had decided about. */
function useRelease(): Action<MediaAccount> {
  const { t } = useTranslation('console/media')
  return {
    key: 'release',
    icon: Scale,
    title: t('release.title'),
    permission: 'media.write',
    danger: 'C',
    isShown: ({ is_held: isHeld }) => isHeld,
    effect: (account) => t('release.effect', { user: nameOf(account) }),
    run: ({ user_id: user, wanted }) => set(user, wanted, false),
    done: (account) => t('release.done', { user: nameOf(account) }),
  }
}

/** Makes the account of a user who never had one. */
export function useNewAccount(): Action<undefined> {
  const { t } = useTranslation('console/media')
  return {
    key: 'new',
    icon: Plus,
    title: t('new.title'),
    permission: 'media.write',
    danger: 'C',
    fields: () => [{ name: 'user', label: t('new.user'), kind: 'text', isRequired: true }],
    effect: () => t('new.effect'),
    run: async (_, { user: typed }) => {
      const found = await findUser(String(typed))
      if (!found) {
        const message = t('new.unknown')
        throw new ApiError(message, {
          status: 404,
          code: 'user_not_found',
          fields: [{ field: 'user', code: 'unknown', message }],
        })
      }
      await set(found.id, 'enabled')
    },
    done: () => t('new.done'),
  }
}
