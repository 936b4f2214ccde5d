import { formatBytes } from '@/lib/bytes'
import { formatCalendarDay } from '@/lib/time'
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
  /** How the points are called, in the tooltip and below the axis; as calendar days where nothing is said. */
  names?: { point: (time: number) => string; tick: (time: number) => string }
  /** How figures are written that are no bytes. */
  figure?: (value: number) => string
  /** With a slider below, which needs more height; the wheel and fingers zoom too. */
  hasZoom?: boolean
}

type Colors = ReturnType<typeof chartColors>

/** One figure under the pointer, as ECharts names it. */
type Pointed = { dataIndex: number; seriesName: string; value: number | null; marker: string }

/** What ECharts draws: one stacked area for each series. */
export function areaOption(props: AreaChartProps, language: string, scheme: 'light' | 'dark') {
  const { label, days, series, unfinished } = props
  const colors = chartColors(scheme)
  const figure = figureOf(props, language)
  return {
    color: colors.series,
    animationDuration: 200,
    textStyle: { fontFamily: 'inherit' },
    aria: { enabled: true, label: { description: label } },
    grid: {
      left: 4,
      right: 12,
      top: 16,
      bottom: props.hasZoom ? SLIDER_PX + 16 : 4,
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
    ...(props.hasZoom ? { dataZoom: zoom(colors) } : {}),
    xAxis: dayAxis(props, language, colors),
    yAxis: {
      type: 'value',
      ...(props.figure
        ? { min: 0, minInterval: 1, splitNumber: 4 }
        : byteScale(Math.max(...days.map((_, index) => stackHeight(series, index))))),
      splitLine: { lineStyle: { color: colors.line } },
      axisLabel: { color: colors.dimmed, formatter: figure },
    },
    series: unfinished
      ? [
          ...series.map((one, index) => finishedArea(one, colors.series[index])),
          ...series.map((one, index) => openArea(one, colors.series[index])),
        ]
      : series.map((one, index) => area(one, colors.series[index])),
  }
}

const figureOf =
  ({ figure }: AreaChartProps, language: string) =>
  (value: unknown) =>
    figure ? figure(Number(value)) : formatBytes(Number(value), language)

/** Names a day and its figures. The last finished day belongs to both lines of a series: it is named once. */
const tooltipOf =
  (props: AreaChartProps, language: string) =>
  (pointed: readonly Pointed[]): string => {
    const { days, unfinished, names } = props
    const figure = figureOf(props, language)
    const [first] = pointed
    if (!first) return ''
    const time = days[first.dataIndex] ?? 0
    const day = names ? names.point(time) : formatCalendarDay(time, language)
    const isOpen = unfinished !== undefined && first.dataIndex === days.length - 1
    const figures = new Map(
      pointed
        .filter(({ value }) => value !== null && !Number.isNaN(value))
        .map(({ seriesName, marker, value }) => [
          seriesName,
          `${marker}${seriesName}  ${figure(value)}`,
        ]),
    )
    return [isOpen ? `${day} (${unfinished})` : day, ...figures.values()].join('\n')
  }

const stackHeight = (series: readonly Series[], day: number) =>
  series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0)

/** "11/20" of a calendarDay. */
const formatTick = (day: number, language: string) =>
  new Date(day).toLocaleDateString(language, { month: 'numeric', day: 'numeric', timeZone: 'UTC' })

function dayAxis({ days, names }: AreaChartProps, language: string, colors: Colors) {
  const tick = names?.tick ?? ((time: number) => formatTick(time, language))
  return {
    type: 'category',
    boundaryGap: false,
    data: days.map((time) => names?.point(time) ?? formatCalendarDay(time, language)),
    axisLine: { lineStyle: { color: colors.line } },
    axisTick: { show: false },
    axisLabel: {
      color: colors.dimmed,
      margin: 12,
      hideOverlap: true,
      formatter: (_: string, index: number) => tick(days[index] ?? 0),
    },
  }
}

const SLIDER_PX = 28

/** One finger scrolls the page; the wheel zooms with a key, so that it does so too. */
const zoom = (colors: Colors) => [
  {
    type: 'inside',
    zoomOnMouseWheel: 'ctrl',
    moveOnMouseWheel: false,
    preventDefaultMouseMove: false,
  },
  {
    type: 'slider',
    height: SLIDER_PX,
    bottom: 4,
    left: 8,
    right: 8,
    showDetail: false,
    brushSelect: false,
    borderColor: colors.line,
    fillerColor: `${colors.series[0]}22`,
    handleStyle: { color: colors.surface, borderColor: colors.series[0] },
    moveHandleStyle: { color: colors.line },
    dataBackground: { lineStyle: { color: colors.dimmed }, areaStyle: { color: colors.line } },
    selectedDataBackground: {
      lineStyle: { color: colors.series[0] },
      areaStyle: { color: colors.series[0] },
    },
  },
]

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
