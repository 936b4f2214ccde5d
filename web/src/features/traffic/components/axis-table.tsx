import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Bytes } from '@/ui/bytes'
import { namesOf } from '../names'
import { type Bucket, kindOf } from '../series'
import type { Range } from '../ranges'
import classes from '../traffic.module.css'
import { useZone } from '../use-zone'

const SHOWN_AT_ONCE = 100

/** The figures of the chart, the newest first; hours and days without traffic are left out, but for the present one. */
export function AxisTable({ buckets, range }: { buckets: readonly Bucket[]; range: Range }) {
  const { t, i18n } = useTranslation('traffic')
  const zone = useZone()
  const kind = kindOf(buckets, range)
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const names = namesOf(kind, i18n.language, zone)
  const last = buckets.at(-1)
  const rows = buckets.filter((one) => one === last || one.up + one.down > 0).toReversed()
  return (
    <div
      className={classes.scrolls}
      // Scrolled with the keyboard too.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="group"
      aria-labelledby="axis-title"
    >
      <table className={classes.figures}>
        <thead>
          <tr>
            <th scope="col">{t(kind)}</th>
            <th scope="col" data-align="end">
              {t('down')}
            </th>
            <th scope="col" data-align="end">
              {t('up')}
            </th>
            <th scope="col" data-align="end">
              {t('billed')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr key={row.time}>
              <td>
                {names.point(row.time)}
                {row === last && <span className={classes.soFar}> {t('soFar')}</span>}
              </td>
              <td data-align="end">
                <Bytes bytes={row.down} />
              </td>
              <td data-align="end">
                <Bytes bytes={row.up} />
              </td>
              <td data-align="end">
                <Bytes bytes={row.billed} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown < rows.length && (
        <Button variant="default" m="sm" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          {t('more')}
        </Button>
      )}
    </div>
  )
}
