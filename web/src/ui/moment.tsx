import { useTranslation } from 'react-i18next'
import { formatDate, formatDateTime, formatExactly, formatFullDate, lastMoment } from '@/lib/time'

/** A point in time; the tooltip has it to the second, with the zone. A date without a time stays on one line. */
export function Moment(props: {
  time: string
  withTime?: boolean
  withYear?: boolean
  /** Something ends then: the date is that of its last moment. */
  isEnd?: boolean
}) {
  const { i18n } = useTranslation()
  const { time } = props
  const format = props.withTime ? formatDateTime : props.withYear ? formatFullDate : formatDate
  return (
    <time
      dateTime={time}
      title={formatExactly(time, i18n.language)}
      style={props.withTime ? undefined : { whiteSpace: 'nowrap' }}
    >
      {format(props.isEnd ? lastMoment(time) : time, i18n.language)}
    </time>
  )
}
