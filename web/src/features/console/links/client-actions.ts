import { Eye, EyeOff, Pencil, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffClientAdd, staffClientChange, staffClientRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffApp } from '@/lib/api/gen/staff/types.gen'
import type { Action, Values } from '../parts/action'
import type { Field } from '../parts/field'

const permission = 'client.write'

/** What the contract calls them. */
export const systems = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  harmonyos: 'HarmonyOS',
} as const

/** Texts, one per line or with commas between them. */
const listOf = (text: unknown): string[] =>
  String(text)
    .split(/[\s,，]+/)
    .filter(Boolean)

const bodyOf = (values: Values) => ({
  name: String(values.name),
  icon: String(values.icon),
  platforms: listOf(values.platforms),
  import_url: String(values.import_url),
  download_url: String(values.download_url),
  formats: listOf(values.formats),
})

const change = (client: StaffApp, body: Partial<StaffApp>, version: string) => {
  const { id: _, version: __, ...present } = client
  return staffClientChange({
    path: { client_id: client.id },
    headers: { 'If-Match': version },
    body: { ...present, ...body },
    throwOnError: true,
  })
}

function useFields() {
  const { t } = useTranslation('console/link')
  return (client?: StaffApp): Field[] => [
    {
      name: 'name',
      label: t('client.name'),
      kind: 'text',
      isRequired: true,
      initial: client?.name ?? '',
    },
    {
      name: 'platforms',
      label: t('column.systems'),
      kind: 'choices',
      options: Object.entries(systems).map(([value, label]) => ({
        value,
        label,
      })),
      isRequired: true,
      initial: client?.platforms.join() ?? '',
    },
    {
      name: 'formats',
      label: t('column.formats'),
      hint: t('client.formatsHint'),
      kind: 'text',
      isRequired: true,
      initial: client?.formats.join(', ') ?? '',
    },
    {
      name: 'import_url',
      label: t('column.import'),
      hint: t('client.importHint', {
        url: '{url}',
        raw: '{url_raw}',
        base64: '{url_base64}',
      }),
      kind: 'text',
      initial: client?.import_url ?? '',
    },
    {
      name: 'download_url',
      label: t('column.download'),
      kind: 'text',
      isRequired: true,
      initial: client?.download_url ?? '',
    },
    {
      name: 'icon',
      label: t('client.icon'),
      hint: t('client.iconHint'),
      kind: 'text',
      initial: client?.icon ?? '',
    },
  ]
}

export function useClientAddition(): Action<undefined> {
  const { t } = useTranslation('console/link')
  const fields = useFields()
  return {
    key: 'add',
    icon: Plus,
    title: t('clients.new'),
    permission,
    danger: 'C',
    fields: () => [
      {
        name: 'id',
        label: t('client.id'),
        hint: t('client.idHint'),
        kind: 'text',
        isRequired: true,
        rules: { maxLength: 40, pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/ },
      },
      ...fields(),
    ],
    effect: () => t('clients.newEffect'),
    run: (_, values) =>
      staffClientAdd({
        body: { id: String(values.id), is_enabled: true, ...bodyOf(values) },
        throwOnError: true,
      }),
    done: () => t('clients.added'),
  }
}

export function useClientActions(): Action<StaffApp>[] {
  return [useChange(), ...useOffer(), useRemoval()]
}

function useChange(): Action<StaffApp> {
  const { t } = useTranslation('console/link')
  const fields = useFields()
  return {
    key: 'change',
    icon: Pencil,
    title: t('change'),
    permission,
    danger: 'C',
    fields: (client) => fields(client),
    effect: ({ id }) => t('clients.changeEffect', { id }),
    run: (client, values) => change(client, bodyOf(values), `"${client.version}"`),
    done: ({ name }) => t('saved', { name }),
  }
}

function useOffer(): Action<StaffApp>[] {
  const { t } = useTranslation('console/link')
  const of = (isOffered: boolean): Action<StaffApp> => ({
    key: isOffered ? 'offer' : 'hide',
    icon: isOffered ? Eye : EyeOff,
    title: t(isOffered ? 'clients.offer' : 'clients.hide'),
    permission,
    danger: 'U',
    isShown: ({ is_enabled: now }) => now !== isOffered,
    effect: () => '',
    run: (client) => change(client, { is_enabled: isOffered }, `"${client.version}"`),
    undo: (client) => change(client, { is_enabled: !isOffered }, '*'),
    done: ({ name }) => t(isOffered ? 'clients.isOffered' : 'clients.isHidden', { name }),
  })
  return [of(true), of(false)]
}

function useRemoval(): Action<StaffApp> {
  const { t } = useTranslation('console/link')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission,
    danger: 'C',
    effect: ({ name }) => t('clients.removeEffect', { name }),
    run: ({ id }) => staffClientRemove({ path: { client_id: id }, throwOnError: true }),
    done: ({ name }) => t('clients.removed', { name }),
  }
}
