import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { nodesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { Access, NodeInfo } from '@/lib/api/gen/types.gen'
import { NoticeLink } from '@/ui/notice-link'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { connectionState, countOffline, stateTones } from '../model'
import classes from './connection-card.module.css'

/** The user's nodes as the connection depends on them. The card of nodes keeps them current. */
export function useNodesOf({ state }: Access) {
  const isActive = state === 'active'
  const { data, isPending, isFetching } = useQuery({ ...nodesListOptions(), enabled: isActive })
  const nodes = data?.available_nodes
  // A list from before the plan began is empty: it says nothing until it has been asked for again.
  const isUnknown = isActive && (isPending || (isFetching && nodes?.length === 0))
  return { nodes: isUnknown ? undefined : nodes, isUnknown }
}

/** Whether a device can connect now, in words, and how many nodes are missing. */
export function ConnectionState(props: {
  access: Access
  nodes: readonly NodeInfo[] | undefined
  isUnknown: boolean
}) {
  const { t } = useTranslation('home')
  const { access, nodes } = props
  if (props.isUnknown) return <Skeleton height={20} width={96} aria-busy="true" />
  const state = connectionState(access, nodes)
  const offline = state === 'active' && nodes ? countOffline(nodes) : 0
  return (
    <span className={classes.state}>
      <StatusDot tone={stateTones[state]}>{t(`state.${state}`)}</StatusDot>
      {offline > 0 && (
        <TextLink to="/user/nodes" search={{ sort: 'state' }} underline="hover">
          {t('someOffline', { count: nodes?.length, offline })}
        </TextLink>
      )}
    </span>
  )
}

/** What keeps everybody with this plan from connecting, though the plan itself may be used. */
export function NodesNotice({
  access,
  nodes,
}: {
  access: Access
  nodes: readonly NodeInfo[] | undefined
}) {
  const { t } = useTranslation('home')
  const state = connectionState(access, nodes)
  if (state === 'nodesOffline') {
    return (
      <NoticeLink
        tone="error"
        text={t('nodesNotice.offline', { count: nodes?.length })}
        to="/user/nodes"
      >
        {t('action.nodes')}
      </NoticeLink>
    )
  }
  if (state !== 'noNodes') return null
  return (
    <NoticeLink tone="warning" text={t('nodesNotice.none')} to="/user/services/buy">
      {t('action.buy')}
    </NoticeLink>
  )
}
