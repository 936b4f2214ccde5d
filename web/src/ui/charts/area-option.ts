import { formatBytes } from '@/lib/bytes'
import { formatCalendarDay, formatTick } from '@/lib/time'
import { byteScale } from './byte-scale'
import { chartColors } from './chart-colors'

/** Bytes by day; null for days that are not drawn. */
export type Series = { name: string; values: readonly (number | null)[] }

export type AreaChartProps = {
  label: string
  days: readonly number[]
  series: readonly Series[]
  /** Where the last day is not over: what says so. Its part is dashed, and without bytes it is not drawn yet. */
  unfinished?: string
}

type Colors = ReturnType<typeof chartColors>

/** One figure under the pointer, as ECharts names it. */
type Pointed = { dataIndex: number; seriesName: string; value: number | null; marker: string }

/** What ECharts draws: one stacked area for each series. */
export function areaOption(props: AreaChartProps, language: string, scheme: 'light' | 'dark') {
  const { label, days, series, unfinished } = props
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
      formatter: tooltipOf(props, language),
    },
    xAxis: dayAxis(days, language, colors),
    yAxis: {
      type: 'value',
      ...byteScale(Math.max(...days.map((_, index) => stackHeight(series, index)))),
      splitLine: { lineStyle: { color: colors.line } },
      axisLabel: { color: colors.dimmed, formatter: bytes },
    },
    series: unfinished
      ? [
          ...series.map((one, index) => finishedArea(one, colors.series[index])),
          ...series.map((one, index) => openArea(one, colors.series[index])),
        ]
      : series.map((one, index) => area(one, colors.series[index])),
  }
}

/** Names a day and its figures. The last finished day belongs to both lines of a series: it is named once. */
const tooltipOf =
  ({ days, unfinished }: AreaChartProps, language: string) =>
  (pointed: readonly Pointed[]): string => {
    const [first] = pointed
    if (!first) return ''
    const day = formatCalendarDay(days[first.dataIndex] ?? 0, language)
    const isOpen = unfinished !== undefined && first.dataIndex === days.length - 1
    const figures = new Map(
      pointed
        .filter(({ value }) => value !== null && !Number.isNaN(value))
        .map(({ seriesName, marker, value }) => [
          seriesName,
          `${marker}${seriesName}  ${formatBytes(Number(value), language)}`,
        ]),
    )
    return [isOpen ? `${day} (${unfinished})` : day, ...figures.values()].join('\n')
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

const area = ({ name, values }: Series, color: string | undefined) => ({
  name,
  type: 'line',
  stack: 'finished',
  data: [...values],
  color,
  showSymbol: false,
  symbolSize: 7,
  smooth: 0.25,
  smoothMonotone: 'x',
  lineStyle: { width: 2, type: 'solid' },
  areaStyle: { opacity: 0.14 },
  emphasis: { disabled: true },
})

const finishedArea = (series: Series, color: string | undefined) =>
  area({ ...series, values: [...series.values.slice(0, -1), null] }, color)

/** From the last finished day to what there is of the one that is not over; a mere point where it is the first. */
const openArea = ({ name, values }: Series, color: string | undefined) => ({
  ...area(
    { name, values: values.map((value, day) => openValue(value, values.length - day)) },
    color,
  ),
  stack: 'open',
  showSymbol: values.at(-2) == null,
  lineStyle: { width: 2, type: 'dashed' },
  areaStyle: { opacity: 0.05 },
})

const openValue = (value: number | null, fromEnd: number) =>
  fromEnd === 2 || (fromEnd === 1 && value) ? value : null
