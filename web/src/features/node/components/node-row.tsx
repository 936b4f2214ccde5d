import { ActionIcon, Progress } from '@mantine/core'
import { Star } from 'lucide-react'
import { memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/api/gen/types.gen'
import { type NodeState, nodeState } from '@/shared/lib/node-state'
import { StateOfNode } from '@/shared/ui/node-state-dot'
import { countryName, protocolName, spansOf, wordsOf } from '../model'
import { Flag } from './flag'
import classes from './node-list.module.css'

type Props = {
  node: NodeInfo
  index: number
  top: number
  height: number
  measure: Ref<HTMLDivElement>
  isStarred: boolean
  onToggle: (id: number) => void
}

export const NodeRow = memo(function NodeRow({
  node,
  index,
  top,
  height,
  measure,
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
      ref={measure}
      data-index={index}
      style={{ minHeight: height, transform: `translateY(${top}px)` }}
    >
      <span role="cell" className={classes.name}>
        <Flag code={node.country_code} />
        <span className={classes.names}>
          <span className={classes.title}>{node.node_name}</span>
          <span className={classes.about}>{about}</span>
        </span>
      </span>
      <span role="cell" className={classes.state}>
        <StateOfNode node={node} />
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

const loadColors: Partial<Record<NodeState, string>> = { busy: 'orange', full: 'red' }

const loadColor = (load: number) => loadColors[nodeState({ status: 'online', load })] ?? 'tide'

function Load({ percent }: { percent: number }) {
  const { t } = useTranslation('node')
  return (
    <>
      <Progress
        size={4}
        className={classes.bar}
        value={percent}
        color={loadColor(percent)}
        aria-label={t('column.load')}
      />
      {Math.round(percent)}%
    </>
  )
}

/** What a byte counts for now, and at which hours another rate holds: ×1 says nothing and stays quiet. */
function Rate({ rate, hours }: { rate: string; hours: readonly string[] }) {
  const { i18n } = useTranslation()
  const { t } = useTranslation('node')
  const times = (value: string) =>
    `×${new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 }).format(Number(value))}`
  const spans = spansOf(hours)
  return (
    <>
      <span className={classes.now} data-rate={Number(rate) === 1 ? 'plain' : 'other'}>
        {times(rate)}
      </span>
      {spans.length > 0 && (
        <span className={classes.hours}>
          {spans.map(({ from, to, rate: then }) => (
            <span key={from}>{`${t('hours', { from, to })} ${times(then)}`}</span>
          ))}
        </span>
      )}
    </>
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
