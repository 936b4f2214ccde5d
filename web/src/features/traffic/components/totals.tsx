import { useComputedColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Bytes } from '@/ui/bytes'
import { chartColors } from '@/ui/charts/chart-colors'
import classes from '../traffic.module.css'

/** What was moved in all; with the colours of the chart, where there is one. */
export function Totals(props: {
  up: number
  down: number
  billed: number
  hasColors?: boolean
  children?: ReactNode
}) {
  const { t } = useTranslation('traffic')
  const colors = chartColors(useComputedColorScheme('light')).series
  return (
    <p className={classes.totals}>
      {[
        { name: t('down'), bytes: props.down },
        { name: t('up'), bytes: props.up },
        { name: t('billed'), bytes: props.billed, isPlain: true },
      ].map(({ name, bytes, isPlain }, index) => (
        <span key={name} className={classes.total}>
          {props.hasColors && !isPlain && (
            <span
              aria-hidden="true"
              className={classes.swatch}
              style={{ background: colors[index] }}
            />
          )}
          {name} <Bytes bytes={bytes} />
        </span>
      ))}
      {props.children}
    </p>
  )
}
