import { useComputedColorScheme } from '@mantine/core'
import { LineChart } from 'echarts/charts'
import { AriaComponent, GridComponent, TooltipComponent } from 'echarts/components'
import { type EChartsType, init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './area-chart.module.css'
import { type AreaChartProps, areaOption } from './area-option'

register([LineChart, GridComponent, TooltipComponent, AriaComponent, CanvasRenderer])

/** Bytes over calendar days, one stacked area for each series. Put the same figures in a table next to it. */
export function AreaChart(props: AreaChartProps) {
  const { i18n } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType>(undefined)

  useEffect(() => {
    if (!element.current) return
    const created = init(element.current, null, { renderer: 'canvas' })
    chart.current = created
    const observer = new ResizeObserver(() => created.resize())
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      created.dispose()
    }
  }, [])

  useEffect(() => {
    chart.current?.setOption(areaOption(props, i18n.language, scheme), true)
  }, [props, i18n.language, scheme])

  return <div ref={element} role="img" aria-label={props.label} className={classes.chart} />
}
