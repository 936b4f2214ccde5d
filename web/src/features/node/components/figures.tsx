import { Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type NodeState, nodeState } from '@/ui/node-state'
import { rateText, spansOf } from '../model'
import classes from './node-list.module.css'

const loadColors: Partial<Record<NodeState, string>> = { busy: 'orange', full: 'red' }

const loadColor = (load: number) => loadColors[nodeState({ status: 'online', load })] ?? 'tide'

/** How much of the processor is used, as a bar and in percent. */
export function Load({ percent }: { percent: number }) {
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
export function Rate({ rate, hours }: { rate: string; hours: readonly string[] }) {
  const { t, i18n } = useTranslation('node')
  const spans = spansOf(hours)
  return (
    <>
      <span className={classes.now} data-rate={Number(rate) === 1 ? 'plain' : 'other'}>
        {rateText(rate, i18n.language)}
      </span>
      {spans.length > 0 && (
        <span className={classes.hours}>
          {spans.map(({ from, to, rate: then }) => (
            <span key={from}>{`${t('hours', { from, to })} ${rateText(then, i18n.language)}`}</span>
          ))}
        </span>
      )}
    </>
  )
}
