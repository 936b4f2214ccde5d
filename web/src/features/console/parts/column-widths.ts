import type { CSSProperties } from 'react'
import type { Column } from './resource'

/** How wide columns are that a member made wider or narrower, in pixels by their keys. */
export type Widths = Record<string, number>

export const MIN_WIDTH = 60
export const MAX_WIDTH = 800

/** The property of the table's style that says how wide a column is. */
export const widthName = (key: string) => `--w-${key}`

/** Of a column's head: as the table says, else as the list has it. */
export const widthOf = <T>({ key, width }: Column<T>) =>
  `var(${widthName(key)}, ${width ?? 'auto'})`

/** Whether each of the columns has a width, so that none of them takes what is left. */
export const areFixed = <T>(columns: readonly Column<T>[], widths: Widths) =>
  columns.every(({ key, width }) => width !== undefined || widths[key] !== undefined)

/** What is left for those without a width is not nothing, where the table is wider than the page. */
const FLEXIBLE_LEAST = '12rem'
const ACTIONS = ' + 52px'
const BORDERS = ' + 2px'

/** The widths of a table's columns, and what all of them need at least, as its style has them. */
export function widthStyle<T>(
  columns: readonly Column<T>[],
  widths: Widths,
  hasActions: boolean,
): CSSProperties {
  const needed = columns.map(
    ({ key, width }) => `var(${widthName(key)}, ${width ?? FLEXIBLE_LEAST})`,
  )
  return {
    '--least-width': `calc(${needed.join(' + ')}${hasActions ? ACTIONS : ''}${BORDERS})`,
    ...Object.fromEntries(Object.entries(widths).map(([key, px]) => [widthName(key), `${px}px`])),
  } as CSSProperties
}

/** `email:240,state:120` in the address; `none` where a view has widths and the list has not. */
export function widthText(widths: Widths): string {
  const parts = Object.entries(widths).map(([key, px]) => `${key}:${px}`)
  return parts.toSorted().join() || 'none'
}

export const widthsOf = (text: string): Widths =>
  Object.fromEntries(
    text.split(',').flatMap((part) => {
      const [key = '', px] = part.split(':')
      const width = Number(px)
      return Number.isInteger(width) && width >= MIN_WIDTH && width <= MAX_WIDTH
        ? [[key, width]]
        : []
    }),
  )

/** Those of columns that are shown: the server keeps no others. */
export const ofShown = <T>(widths: Widths, shown: readonly Column<T>[]): Widths =>
  Object.fromEntries(Object.entries(widths).filter(([key]) => shown.some((one) => one.key === key)))
