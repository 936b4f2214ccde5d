import { ActionIcon, Button, Skeleton } from '@mantine/core'
import type { EChartsType } from 'echarts/core'
import { ImageDown, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { saveFile } from '@/lib/save-file'
import { useInView } from '@/lib/in-view'
import { namesOf } from '../names'
import { type Bucket, kindOf } from '../series'
import type { Range } from '../ranges'
import classes from '../traffic.module.css'
import { useZone } from '../use-zone'
import { zoomed } from '../zoom'

const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')

/** The area over time; the hour or day that is not over is dashed. */
export function AxisPicture(props: {
  buckets: readonly Bucket[]
  range: Range
  /** A button that saves the figures. */
  file: ReactNode
}) {
  const { buckets, range, file } = props
  const { t, i18n } = useTranslation('traffic')
  const zone = useZone()
  const [chart, setChart] = useState<EChartsType>()
  const place = useRef<HTMLDivElement>(null)
  const isInView = useInView(place)
  const drawn = useMemo(
    () => ({
      days: buckets.map(({ time }) => time),
      series: [
        { name: t('down'), values: buckets.map(({ down }) => down) },
        { name: t('up'), values: buckets.map(({ up }) => up) },
      ],
      names: namesOf(kindOf(buckets, range), i18n.language, zone),
      unfinished: t('soFar'),
    }),
    [buckets, range, t, i18n.language, zone],
  )
  const waiting = <Skeleton height="100%" />
  return (
    <>
      <div ref={place} className={classes.axis}>
        <Suspense fallback={waiting}>
          {isInView ? (
            <AreaChart label={t('axis.title')} {...drawn} hasZoom onReady={setChart} />
          ) : (
            waiting
          )}
        </Suspense>
      </div>
      <div className={classes.tools}>
        <Tools chart={chart} name={`traffic-${range}`} />
        {file}
      </div>
    </>
  )
}

/** What mouse and fingers do on the chart, for keyboards; and the picture as a file. */
function Tools({ chart, name }: { chart: EChartsType | undefined; name: string }) {
  const { t } = useTranslation('traffic')
  const zoom = (factor: number) => {
    const { dataZoom } = (chart?.getOption() ?? {}) as {
      dataZoom?: { start: number; end: number }[]
    }
    const shown = dataZoom?.[0]
    if (shown) chart?.dispatchAction({ type: 'dataZoom', ...zoomed(shown, factor) })
  }
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!chart}
        aria-label={t('zoomIn')}
        onClick={() => zoom(0.5)}
      >
        <ZoomIn size={18} strokeWidth={1.75} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!chart}
        aria-label={t('zoomOut')}
        onClick={() => zoom(2)}
      >
        <ZoomOut size={18} strokeWidth={1.75} />
      </ActionIcon>
      <Button
        variant="default"
        size="sm"
        disabled={!chart}
        leftSection={<ImageDown size={16} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => chart && savePicture(chart, name)}
      >
        {t('png')}
      </Button>
    </>
  )
}

function savePicture(chart: EChartsType, name: string) {
  const surface = getComputedStyle(document.documentElement).getPropertyValue('--surface').trim()
  chart
    .renderToCanvas({ pixelRatio: 2, backgroundColor: surface || '#fff' })
    .toBlob((picture) => picture && saveFile(`${name}.png`, picture))
}
