import { useComputedColorScheme } from '@mantine/core'
import { LineChart } from 'echarts/charts'
import { AriaComponent, GridComponent, TooltipComponent } from 'echarts/components'
import { type EChartsType, init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../lib/bytes'
import { formatCalendarDay, formatTick } from '../lib/time'
import classes from './area-chart.module.css'
import { byteScale } from './byte-scale'
import { chartColors } from './chart-colors'

register([LineChart, GridComponent, TooltipComponent, AriaComponent, CanvasRenderer])

export type Series = { name: string; values: readonly number[] }

/** Bytes over calendar days, one stacked area for each series. Put the same figures in a table beside it. */
export function AreaChart(props: {
  label: string
  days: readonly number[]
  series: readonly Series[]
}) {
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
    chart.current?.setOption(optionOf(props, i18n.language, scheme), true)
  }, [props, i18n.language, scheme])

  return <div ref={element} role="img" aria-label={props.label} className={classes.chart} />
}

type Colors = ReturnType<typeof chartColors>

function optionOf(
  { label, days, series }: { label: string; days: readonly number[]; series: readonly Series[] },
  language: string,
  scheme: 'light' | 'dark',
) {
  const colors = chartColors(scheme)
  const bytes = (value: unknown) => formatBytes(Number(value), language)
  return {
    color: colors.series,
    animationDuration: 200,
    textStyle: { fontFamily: 'inherit' },
    aria: { enabled: true, label: { description: label } },
    grid: {
      left: 4,
      right: 12,
      top: 16,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    tooltip: {
      trigger: 'axis',
      // Drawn on the canvas: as HTML it would need inline styles, which the site's policy forbids.
      renderMode: 'richText',
      backgroundColor: colors.surface,
      borderColor: colors.line,
      padding: [8, 12],
      textStyle: { color: colors.text, fontSize: 13 },
      axisPointer: { lineStyle: { color: colors.line } },
      valueFormatter: bytes,
    },
    xAxis: dayAxis(days, language, colors),
    yAxis: {
      type: 'value',
      ...byteScale(Math.max(...days.map((_, index) => stackHeight(series, index)))),
      splitLine: { lineStyle: { color: colors.line } },
      axisLabel: { color: colors.dimmed, formatter: bytes },
    },
    series: series.map(areaOf),
  }
}

const stackHeight = (series: readonly Series[], day: number) =>
  series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0)

function dayAxis(days: readonly number[], language: string, colors: Colors) {
  return {
    type: 'category',
    boundaryGap: false,
    data: days.map((time) => formatCalendarDay(time, language)),
    axisLine: { lineStyle: { color: colors.line } },
    axisTick: { show: false },
    axisLabel: {
      color: colors.dimmed,
      margin: 12,
      hideOverlap: true,
      formatter: (_: string, index: number) => formatTick(days[index] ?? 0, language),
    },
  }
}

const areaOf = ({ name, values }: Series) => ({
  name,
  type: 'line',
  stack: 'traffic',
  data: values,
  showSymbol: false,
  symbolSize: 7,
  smooth: 0.25,
  smoothMonotone: 'x',
  lineStyle: { width: 2 },
  areaStyle: { opacity: 0.14 },
  emphasis: { disabled: true },
})
