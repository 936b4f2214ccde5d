import { useComputedColorScheme } from '@mantine/core'
import { LineChart } from 'echarts/charts'
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  TooltipComponent,
} from 'echarts/components'
import { type EChartsType, init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type AreaChartProps, areaOption } from './area-option'

register([
  LineChart,
  GridComponent,
  TooltipComponent,
  DataZoomComponent,
  AriaComponent,
  CanvasRenderer,
])

// Inline, since a sheet of its own would be one more request of each page with a chart.
const FILLED = { width: '100%', height: '100%' }

/**
 * Bytes over time, one stacked area for each series. Put the same figures in a table next to it. `onReady` gets the chart
 * once there is one, and undefined when it is gone.
 */
export function AreaChart({
  onReady,
  ...props
}: AreaChartProps & { onReady?: (chart: EChartsType | undefined) => void }) {
  const { i18n } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType>(undefined)

  useEffect(() => {
    if (!element.current) return
    const created = init(element.current, null, { renderer: 'canvas' })
    chart.current = created
    onReady?.(created)
    const observer = new ResizeObserver(() => created.resize())
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      onReady?.(undefined)
      created.dispose()
    }
  }, [onReady])

  const { label, days, series, unfinished, names, figure, hasZoom } = props
  const option = useMemo(
    () =>
      areaOption(
        {
          label,
          days,
          series,
          ...(unfinished === undefined ? {} : { unfinished }),
          ...(names && { names }),
          ...(figure && { figure }),
          ...(hasZoom === undefined ? {} : { hasZoom }),
        },
        i18n.language,
        scheme,
      ),
    [label, days, series, unfinished, names, figure, hasZoom, i18n.language, scheme],
  )
  useEffect(() => chart.current?.setOption(option, true), [option])

  return <div ref={element} role="img" aria-label={props.label} style={FILLED} />
}
