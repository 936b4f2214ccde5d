import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bell, BellOff, Copy, KeyRound, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffNodeChange,
  staffNodeRemove,
  staffNodeSecret,
  staffNodeSilence,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { useOwnName } from '../parts/use-own-name'
import { installKey } from './resource'

/** What may be done with a node, from its row and from its page. */
export function useNodeActions(): Action<StaffNode>[] {
  return [useEdit(), ...useSilence(), ...usePower(), useCopy(), useSecret(), useRemoval()]
}

const path = (node: StaffNode) => ({ node_id: node.id })

function useEdit(): Action<StaffNode> {
  const { t } = useTranslation('console/node')
  const navigate = useNavigate()
  return {
    key: 'edit',
    icon: Pencil,
    title: t('nodes.change'),
    permission: 'node.write',
    leads: true,
    danger: 'U',
    effect: () => '',
    run: ({ id }) => navigate({ to: '/admin/nodes/$id/edit', params: { id: String(id) } }),
    done: () => '',
  }
}

function useCopy(): Action<StaffNode> {
  const { t } = useTranslation('console/node')
  const navigate = useNavigate()
  return {
    key: 'copy',
    icon: Copy,
    title: t('nodes.copy'),
    permission: 'node.write',
    leads: true,
    danger: 'U',
    effect: () => '',
    run: ({ id }) => navigate({ to: '/admin/nodes/new', search: { from: id } as never }),
    done: () => '',
  }
}

const HOURS = ['1', '4', '24', '72', '168'] as const

function useSilence(): Action<StaffNode>[] {
  const { t } = useTranslation('console/node')
  const nameOf = useOwnName()
  const silence = (node: StaffNode, hours: number) =>
    staffNodeSilence({ path: path(node), body: { hours }, throwOnError: true })
  return [
    {
      key: 'silence',
      icon: BellOff,
      title: t('nodes.silence'),
      permission: 'node.silence',
      danger: 'C',
      isShown: ({ silenced_until: until }) => until === null,
      fields: () => [
        {
          name: 'hours',
          label: t('nodes.silenceFor'),
          kind: 'choice',
          initial: '4',
          options: HOURS.map((value) => ({ value, label: t('hours', { count: Number(value) }) })),
        },
      ],
      effect: (node) => t('nodes.silenceEffect', { name: nameOf(node) }),
      run: (node, { hours }) => silence(node, Number(hours)),
      done: (node) => t('nodes.silenced', { name: nameOf(node) }),
    },
    {
      key: 'unsilence',
      icon: Bell,
      title: t('nodes.unsilence'),
      permission: 'node.silence',
      danger: 'U',
      isShown: ({ silenced_until: until }) => until !== null,
      effect: () => '',
      run: (node) => silence(node, 0),
      done: (node) => t('nodes.unsilenced', { name: nameOf(node) }),
    },
  ]
}

function usePower(): Action<StaffNode>[] {
  const { t } = useTranslation('console/node')
  const nameOf = useOwnName()
  const turn = async (node: StaffNode, enabled: boolean, version: string) => {
    const { data } = await staffNodeChange({
      path: path(node),
      headers: { 'If-Match': `"${version}"` },
      body: { enabled },
      throwOnError: true,
    })
    return data.version
  }
  return [
    {
      key: 'disable',
      icon: PowerOff,
      title: t('nodes.disable'),
      permission: 'node.write',
      danger: 'C',
      isShown: ({ enabled }) => enabled,
      effect: (node) => t('nodes.disableEffect', { name: nameOf(node), count: node.online_users }),
      run: (node) => turn(node, false, node.version),
      done: (node) => t('nodes.disabled', { name: nameOf(node) }),
    },
    {
      key: 'enable',
      icon: Power,
      title: t('nodes.enable'),
      permission: 'node.write',
      danger: 'U',
      isShown: ({ enabled }) => !enabled,
      effect: () => '',
      run: (node) => turn(node, true, node.version),
      undo: (node, _, made) => turn(node, false, String(made)),
      done: (node) => t('nodes.enabled', { name: nameOf(node) }),
    },
  ]
}

const HONOUR = ['0', '60', '1440'] as const

function useSecret(): Action<StaffNode> {
  const { t } = useTranslation('console/node')
  const nameOf = useOwnName()
  const client = useQueryClient()
  const navigate = useNavigate()
  return {
    key: 'secret',
    icon: KeyRound,
    title: t('nodes.secret'),
    permission: 'node.secret.rotate',
    danger: 'R',
    fields: () => [
      {
        name: 'honour',
        label: t('nodes.honour'),
        kind: 'choice',
        initial: '60',
        options: HONOUR.map((value) => ({ value, label: t(`honour.${value}`) })),
      },
    ],
    effect: (node) => t('nodes.secretEffect', { name: nameOf(node) }),
    run: async (node, { honour, reason }) => {
      const { data } = await staffNodeSecret({
        path: path(node),
        body: { honour_old_minutes: Number(honour), reason: String(reason) },
        throwOnError: true,
      })
      client.setQueryData(installKey(node.id), data.install)
      await navigate({ to: '/admin/nodes/$id', params: { id: String(node.id) } })
    },
    done: (node) => t('nodes.secretMade', { name: nameOf(node) }),
  }
}

function useRemoval(): Action<StaffNode> {
  const { t } = useTranslation('console/node')
  const nameOf = useOwnName()
  const navigate = useNavigate()
  return {
    key: 'remove',
    icon: Trash2,
    title: t('nodes.remove'),
    permission: 'node.write',
    danger: 'T',
    effect: (node) => t('nodes.removeEffect', { name: nameOf(node), count: node.online_users }),
    typed: nameOf,
    run: async (node, { reason }) => {
      await staffNodeRemove({
        path: path(node),
        query: { reason: String(reason) },
        throwOnError: true,
      })
      await navigate({ to: '/admin/nodes' })
    },
    done: (node) => t('nodes.removed', { name: nameOf(node) }),
  }
}
