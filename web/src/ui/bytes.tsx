import { useTranslation } from 'react-i18next'
import { bytesParts, formatBytes } from '@/lib/bytes'
import classes from './figure.module.css'

/** An amount of traffic; `size="figure"` is the largest thing on a card. */
export function Bytes({ bytes, size = 'text' }: { bytes: number; size?: 'text' | 'figure' }) {
  const { i18n } = useTranslation()
  if (size === 'text')
    return <span className={classes.text}>{formatBytes(bytes, i18n.language)}</span>
  const { value, unit } = bytesParts(bytes, i18n.language)
  return (
    <span className={classes.figure}>
      {value}
      <span className={classes.unit}>{unit}</span>
    </span>
  )
}
