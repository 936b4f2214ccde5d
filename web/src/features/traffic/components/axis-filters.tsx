import { Chip } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { DEFAULT_RANGE, type Range, rangeNames } from '../ranges'
import classes from '../traffic.module.css'
import { NodeSelect } from './node-select'

const route = getRouteApi('/user/subscribe-log-chart')

/** How far the chart goes back, and of which node; both are in the address. */
export function AxisFilters({ range, node }: { range: Range; node: number | undefined }) {
  const { t } = useTranslation('traffic')
  const navigate = route.useNavigate()
  const change = (part: { range?: Range | undefined; node?: number | undefined }) =>
    void navigate({
      search: (search) => ({ ...search, ...part }),
      replace: true,
      resetScroll: false,
    })
  return (
    <div className={classes.filters}>
      <Chip.Group
        value={range}
        onChange={(value) => change({ range: value === DEFAULT_RANGE ? undefined : value })}
      >
        <div role="radiogroup" aria-label={t('range')} className={classes.chips}>
          {rangeNames.map((name) => (
            <Chip key={name} name="range" value={name} size="sm">
              {t(`ranges.${name}`)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      <NodeSelect value={node} onChange={(chosen) => change({ node: chosen })} />
    </div>
  )
}
