import { useTranslation } from 'react-i18next'
import { formatDate, formatDateTime, formatExactly } from '../lib/time'

/** A point in time; the tooltip has it to the second, with the zone. */
export function Moment({ time, withTime = false }: { time: string; withTime?: boolean }) {
  const { i18n } = useTranslation()
  const format = withTime ? formatDateTime : formatDate
  return (
    <time dateTime={time} title={formatExactly(time, i18n.language)}>
      {format(time, i18n.language)}
    </time>
  )
}
