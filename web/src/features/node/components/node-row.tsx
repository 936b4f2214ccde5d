import { ActionIcon } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Lock, Star } from 'lucide-react'
import { memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/lib/api/gen/types.gen'
import { StateOfNode } from '@/ui/node-state-dot'
import { countryName, protocolName, wordsOf } from '../model'
import { useClassName } from '../use-class-name'
import { Flag } from './flag'
import { Load, Rate } from './figures'
import classes from './node-list.module.css'

type Props = {
  node: NodeInfo
  index: number
  top: number
  height: number
  measure: Ref<HTMLDivElement>
  isLocked: boolean
  isStarred: boolean
  onToggle: (id: number) => void
}

export const NodeRow = memo(function NodeRow({
  node,
  index,
  top,
  height,
  measure,
  isLocked,
  isStarred,
  onToggle,
}: Props) {
  const { i18n } = useTranslation()
  const about = [countryName(node.country_code, i18n.language), ...node.tags]
    .filter(Boolean)
    .join('\u00A0· ')
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      data-locked={isLocked || undefined}
      ref={measure}
      data-index={index}
      style={{ minHeight: height, transform: `translateY(${top}px)` }}
    >
      <span role="cell" className={classes.name}>
        <Flag code={node.country_code} />
        <span className={classes.names}>
          <NodeLink node={node} />
          <span className={classes.about}>{about}</span>
        </span>
      </span>
      <span role="cell" className={classes.state}>
        {isLocked ? <Locked node={node} /> : <StateOfNode node={node} />}
      </span>
      <span role="cell" className={classes.load}>
        {node.status === 'offline' ? '—' : <Load percent={node.load} />}
      </span>
      <span role="cell" className={classes.rate}>
        <Rate rate={node.rate} hours={node.hour_rates} />
      </span>
      <span role="cell" className={classes.protocols}>
        {wordsOf(node).map((protocol) => (
          <span key={protocol} className={classes.protocol}>
            {protocolName(protocol)}
          </span>
        ))}
      </span>
      <span role="cell" className={classes.star}>
        <StarButton
          name={node.node_name}
          isOn={isStarred}
          onToggle={() => onToggle(node.node_id)}
        />
      </span>
    </div>
  )
})

/** Opens the node next to the list; the whole row can be pressed. */
function NodeLink({ node }: { node: NodeInfo }) {
  return (
    <Link
      to="/user/nodes"
      search={(now) => ({ ...now, node: node.node_id })}
      state={{ isFromList: true }}
      resetScroll={false}
      preload={false}
      data-node={node.node_id}
      className={classes.title}
    >
      {node.node_name}
    </Link>
  )
}

/** In the place of a state that does not matter to the user yet. */
function Locked({ node }: { node: NodeInfo }) {
  const { t } = useTranslation('node')
  const name = useClassName()(node)
  return (
    <span className={classes.locked}>
      <Lock size={14} strokeWidth={1.75} aria-hidden="true" />
      {node.class > 0 ? t('fromClass', { name }) : t('locked')}
    </span>
  )
}

function StarButton({
  name,
  isOn,
  onToggle,
}: {
  name: string
  isOn: boolean
  onToggle: () => void
}) {
  const { t } = useTranslation('node')
  return (
    <ActionIcon
      variant="subtle"
      color={isOn ? 'orange' : 'gray'}
      size={44}
      aria-pressed={isOn}
      aria-label={t('starNode', { name })}
      title={t('starNode', { name })}
      onClick={onToggle}
    >
      <Star size={18} strokeWidth={1.75} fill={isOn ? 'currentColor' : 'none'} />
    </ActionIcon>
  )
}
