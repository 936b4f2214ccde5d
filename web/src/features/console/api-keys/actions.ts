import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffApiKeyMakeRules as rules } from '@/lib/api/gen/staff/rules.gen'
import { staffApiKeyMake, staffApiKeyRevoke, staffApiKeyRotate } from '@/lib/api/gen/staff/sdk.gen'
import type { ApiKey } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { orLost } from '../parts/received'
import { inputTime } from '../parts/time-input'

/** A secret that was made just now: shown once on the page. Without it: the answer that had it was lost. */
export type MadeSecret = { name: string; secret?: string }

export const scopes = ['jobs', 'partner', 'grant', 'grafana'] as const

export function useMaking(onMade: (made: MadeSecret) => void): Action<undefined> {
  const { t } = useTranslation('console/api-key')
  return {
    key: 'make',
    icon: Plus,
    title: t('new'),
    permission: 'api_key.write',
    danger: 'R',
    fields: () => [
      {
        name: 'name',
        label: t('name'),
        hint: t('nameHint'),
        kind: 'text',
        isRequired: true,
        rules: rules.name,
      },
      ...scopes.map((scope) => ({
        name: scope,
        label: t(`scope.${scope}`),
        hint: t(`scopeAbout.${scope}`),
        kind: 'switch' as const,
        initial: false,
      })),
      { name: 'expires_at', label: t('expires'), hint: t('expiresHint'), kind: 'datetime' },
    ],
    effect: () => t('makeEffect'),
    run: async (_, values) => {
      const name = String(values.name)
      const call = staffApiKeyMake({
        body: {
          name,
          scopes: scopes.filter((scope) => values[scope] === true),
          expires_at: inputTime(values.expires_at) || null,
          reason: String(values.reason),
        },
        throwOnError: true,
      })
      const { data } = await orLost(call, () => onMade({ name }))
      onMade({ name: data.key.name, secret: data.secret })
    },
    done: () => t('made'),
  }
}

/** The server refuses to replace the secret of another member's key. */
export function useRotation(onMade: (made: MadeSecret) => void): Action<ApiKey> {
  const { t } = useTranslation('console/api-key')
  return {
    key: 'rotate',
    icon: KeyRound,
    title: t('rotate'),
    permission: 'api_key.write',
    danger: 'R',
    effect: ({ name }) => t('rotateEffect', { name }),
    run: async ({ id, name }, { reason }) => {
      const call = staffApiKeyRotate({
        path: { key_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      })
      const { data } = await orLost(call, () => onMade({ name }))
      onMade({ name, secret: data.secret })
    },
    done: () => t('rotated'),
  }
}

export function useRevoking(): Action<ApiKey> {
  const { t } = useTranslation('console/api-key')
  return {
    key: 'revoke',
    icon: Trash2,
    title: t('revoke'),
    permission: 'api_key.write',
    danger: 'C',
    effect: ({ name, email }) => t('revokeEffect', { name, email }),
    run: ({ id }) => staffApiKeyRevoke({ path: { key_id: id }, throwOnError: true }),
    done: ({ name }) => t('revoked', { name }),
  }
}
