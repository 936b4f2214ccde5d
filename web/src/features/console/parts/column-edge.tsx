import {
  type KeyboardEvent as KeyPress,
  memo,
  type PointerEvent as Press,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_WIDTH, MIN_WIDTH, widthName } from './column-widths'
import classes from './resource-table.module.css'

const STEP_PX = 10
const LARGE_STEP_PX = 50
/** Several presses in a row are one change. */
const SETTLE_MS = 600

const within = (px: number) => Math.round(Math.min(Math.max(px, MIN_WIDTH), MAX_WIDTH))

type Props = {
  column: string
  title: string
  /** As the member made it; absent: as the console has it. */
  px: number | undefined
  /** No other column takes the room that this one leaves. */
  isOnlyFlexible: boolean
  onResize: (column: string, px: number | undefined) => void
}

/**
 * The edge of a column: dragged, or moved by arrow keys, it makes the column wider or narrower. A double click or Enter
 * makes it as it was. While it moves only the table's style changes, so that no row is drawn again.
 */
export const ColumnEdge = memo(function ColumnEdge(props: Props) {
  const { t } = useTranslation('console/parts')
  const { title, px } = props
  const edge = useRef<HTMLSpanElement>(null)
  const [measured, setMeasured] = useState(MIN_WIDTH)
  const measure = () => setMeasured(within(headWidth(edge.current)))
  useLayoutEffect(measure, [px])
  const { moved, move, settle, reset, cancel } = useMoves(edge, props)

  const drag = (event: Press) => {
    if (event.button !== 0) return
    const width = headWidth(edge.current)
    follow(event.clientX, { onMove: (by) => move(width + by), onEnd: settle, onCancel: cancel })
  }
  const press = (event: KeyPress) => {
    const now = moved ?? px ?? headWidth(edge.current)
    const step = event.shiftKey ? LARGE_STEP_PX : STEP_PX
    if (event.key === 'ArrowLeft') move(now - step, SETTLE_MS)
    else if (event.key === 'ArrowRight') move(now + step, SETTLE_MS)
    else if (event.key === 'Home') move(MIN_WIDTH, SETTLE_MS)
    else if (event.key === 'End') move(MAX_WIDTH, SETTLE_MS)
    else if (event.key === 'Enter') reset()
    else return
    event.preventDefault()
  }
  return (
    // A separator that is moved has the focus and a value, unlike one that only divides.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <span
      ref={edge}
      role="separator"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('look.width', { name: title })}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={moved ?? px ?? measured}
      className={classes.edge}
      onPointerDown={drag}
      onDoubleClick={reset}
      onKeyDown={press}
      onFocus={measure}
      onBlur={settle}
    />
  )
})

/** Follows the pointer from where it was pressed until it is let go; Escape ends that, too. */
function follow(
  from: number,
  on: { onMove: (by: number) => void; onEnd: () => void; onCancel: () => void },
) {
  const end = new AbortController()
  const until = { signal: end.signal, capture: true }
  const finish = (how: () => void) => {
    end.abort()
    how()
  }
  window.addEventListener('pointermove', ({ clientX }) => on.onMove(clientX - from), until)
  window.addEventListener('pointerup', () => finish(on.onEnd), until)
  window.addEventListener('pointercancel', () => finish(on.onCancel), until)
  window.addEventListener(
    'keydown',
    (press) => {
      if (press.key !== 'Escape') return
      press.preventDefault()
      press.stopPropagation()
      finish(on.onCancel)
    },
    until,
  )
}

const headWidth = (edge: HTMLElement | null) => edge?.closest('th')?.offsetWidth ?? MIN_WIDTH

const FIXED = 'data-fixed'
const SCROLLS = 'data-scrolls'

/** Moves an edge in the page, and hands on where it was left. */
function useMoves(edge: { current: HTMLElement | null }, props: Props) {
  const [moved, setMoved] = useState<number>()
  const left = useRef<number>(undefined)
  /** Takes back what moving changed in the page. */
  const restore = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const now = useRef(props)
  useEffect(() => {
    now.current = props
  })

  /** Shows the table as it will be drawn with this width. */
  const show = (px: number) => {
    const table = edge.current?.closest('table')
    const sides = table?.parentElement
    if (!table || !sides) return
    const name = widthName(now.current.column)
    const was = table.style.getPropertyValue(name)
    const [wasFixed, didScroll] = [table.hasAttribute(FIXED), sides.hasAttribute(SCROLLS)]
    restore.current ??= () => {
      table.style.setProperty(name, was)
      table.toggleAttribute(FIXED, wasFixed)
      sides.toggleAttribute(SCROLLS, didScroll)
    }
    table.style.setProperty(name, `${px}px`)
    table.toggleAttribute(FIXED, now.current.isOnlyFlexible)
    sides.toggleAttribute(SCROLLS, true)
  }
  const settle = () => {
    clearTimeout(timer.current)
    const px = left.current
    if (px === undefined) return
    left.current = undefined
    restore.current = undefined
    setMoved(undefined)
    now.current.onResize(now.current.column, px)
  }
  const move = (to: number, settleMs?: number) => {
    const px = within(to)
    left.current = px
    setMoved(px)
    show(px)
    clearTimeout(timer.current)
    if (settleMs !== undefined) timer.current = setTimeout(settle, settleMs)
  }
  const cancel = () => {
    clearTimeout(timer.current)
    left.current = undefined
    setMoved(undefined)
    restore.current?.()
    restore.current = undefined
  }
  const reset = () => {
    cancel()
    if (now.current.px !== undefined) now.current.onResize(now.current.column, undefined)
  }
  // Who leaves the page at once has the last press kept, too.
  const last = useRef(settle)
  useEffect(() => {
    last.current = settle
  })
  useEffect(() => () => last.current(), [])
  return { moved, move, settle, reset, cancel }
}
