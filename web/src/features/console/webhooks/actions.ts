import { useQuery } from '@tanstack/react-query'
import { KeyRound, Pencil, Play, Plus, RotateCw, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffWebhookAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import {
  staffWebhookAdd,
  staffWebhookChange,
  staffWebhookRedeliver,
  staffWebhookRemove,
  staffWebhookRotate,
  staffWebhookTest,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffWebhook, WebhookAttempt, WebhookDelivery } from '@/lib/api/gen/staff/types.gen'
import type { Action, Values } from '../parts/action'
import type { Field } from '../parts/field'
import { orLost } from '../parts/received'
import { eventsQuery } from '../support/resource'

/**
 * A secret that was made just now, and what a test came to: shown once on the page. `isLost`: the answer that had the secret
 * was lost.
 */
export type Outcome = { name: string } & (
  | { secret: string }
  | { isLost: true }
  | { attempt: WebhookAttempt }
)

const fieldOf = (type: string) => `event_${type.replaceAll('.', '_')}`

function useFields() {
  const { t } = useTranslation('console/webhook')
  const { data: events = [] } = useQuery(eventsQuery())
  const fields = (one?: StaffWebhook): Field[] => [
    {
      name: 'name',
      label: t('name'),
      kind: 'text',
      isRequired: true,
      initial: one?.name ?? '',
      rules: rules.name,
    },
    {
      name: 'url',
      label: t('url'),
      hint: t('urlHint'),
      kind: 'text',
      isRequired: true,
      initial: one?.url ?? 'https://',
      rules: rules.url,
    },
    { name: 'is_enabled', label: t('enabled'), kind: 'switch', initial: one?.is_enabled ?? true },
    ...events.map(({ type, text }): Field => ({
      name: fieldOf(type),
      label: text,
      kind: 'switch',
      initial: one ? one.events.includes(type) : true,
    })),
  ]
  const bodyOf = (values: Values) => ({
    name: String(values.name),
    url: String(values.url),
    is_enabled: values.is_enabled === true,
    events: events.map(({ type }) => type).filter((type) => values[fieldOf(type)] === true),
  })
  return { fields, bodyOf }
}

/** Makes a webhook; its secret is shown on the page, once. */
export function useAddition(onMade: (outcome: Outcome) => void): Action<undefined> {
  const { t } = useTranslation('console/webhook')
  const { fields, bodyOf } = useFields()
  return {
    key: 'add',
    icon: Plus,
    title: t('new'),
    permission: 'webhook.write',
    danger: 'C',
    fields: () => fields(),
    effect: () => t('addEffect'),
    run: async (_, values) => {
      const body = bodyOf(values)
      const { data } = await orLost(staffWebhookAdd({ body, throwOnError: true }), () =>
        onMade({ name: body.name, isLost: true }),
      )
      onMade({ name: data.webhook.name, secret: data.secret })
    },
    done: () => t('added'),
  }
}

export function useChange(): Action<StaffWebhook> {
  const { t } = useTranslation('console/webhook')
  const { fields, bodyOf } = useFields()
  return {
    key: 'change',
    icon: Pencil,
    title: t('change'),
    permission: 'webhook.write',
    danger: 'C',
    fields: (one) => fields(one),
    effect: ({ name }) => t('changeEffect', { name }),
    run: (one, values) =>
      staffWebhookChange({
        path: { webhook_id: one.id },
        headers: { 'If-Match': `"${one.version}"` },
        body: bodyOf(values),
        throwOnError: true,
      }),
    done: ({ name }) => t('saved', { name }),
  }
}

export function useTest(onTried: (outcome: Outcome) => void): Action<StaffWebhook> {
  const { t } = useTranslation('console/webhook')
  return {
    key: 'test',
    icon: Play,
    title: t('test'),
    permission: 'webhook.send',
    danger: 'C',
    effect: ({ url }) => t('testEffect', { url }),
    run: async ({ id, name }) => {
      const { data } = await staffWebhookTest({ path: { webhook_id: id }, throwOnError: true })
      onTried({ name, attempt: data })
    },
    done: () => t('tested'),
  }
}

export function useRotation(onMade: (outcome: Outcome) => void): Action<StaffWebhook> {
  const { t } = useTranslation('console/webhook')
  return {
    key: 'rotate',
    icon: KeyRound,
    title: t('rotate'),
    permission: 'webhook.write',
    danger: 'C',
    effect: ({ name }) => t('rotateEffect', { name }),
    run: async ({ id, name }) => {
      const call = staffWebhookRotate({ path: { webhook_id: id }, throwOnError: true })
      const { data } = await orLost(call, () => onMade({ name, isLost: true }))
      onMade({ name, secret: data.secret })
    },
    done: () => t('rotated'),
  }
}

export function useRemoval(): Action<StaffWebhook> {
  const { t } = useTranslation('console/webhook')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission: 'webhook.write',
    danger: 'C',
    effect: ({ name }) => t('removeEffect', { name }),
    run: ({ id }) => staffWebhookRemove({ path: { webhook_id: id }, throwOnError: true }),
    done: ({ name }) => t('removed', { name }),
  }
}

export function useRedelivery(webhook: number): Action<WebhookDelivery> {
  const { t } = useTranslation('console/webhook')
  return {
    key: 'redeliver',
    icon: RotateCw,
    title: t('redeliver'),
    permission: 'webhook.send',
    danger: 'C',
    isShown: ({ state }) => state !== 'waiting',
    effect: ({ event_id: event }) => t('redeliverEffect', { event }),
    run: ({ id }) =>
      staffWebhookRedeliver({
        path: { webhook_id: webhook, delivery_id: id },
        throwOnError: true,
      }),
    done: () => t('redelivered'),
  }
}
