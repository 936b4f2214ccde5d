import type { kindOf } from './series'

type BucketKind = ReturnType<typeof kindOf>

/** How the buckets of a chart are called: hours in the site's zone; days and months are calendarDays, in UTC already. */
export function namesOf(kind: BucketKind, language: string, zone: string) {
  if (kind === 'month') {
    const month = { timeZone: 'UTC', year: 'numeric' } as const
    const point = new Intl.DateTimeFormat(language, { ...month, month: 'long' })
    const tick = new Intl.DateTimeFormat(language, { ...month, month: 'numeric' })
    return {
      point: (time: number) => point.format(time),
      tick: (time: number) => tick.format(time),
    }
  }
  const isHour = kind === 'hour'
  const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const timeZone = isHour ? zone : 'UTC'
  const point = new Intl.DateTimeFormat(language, {
    timeZone,
    month: 'short',
    day: 'numeric',
    ...(isHour ? hour : { year: 'numeric' }),
  })
  const tick = new Intl.DateTimeFormat(language, {
    timeZone,
    month: 'numeric',
    day: 'numeric',
    ...(isHour ? hour : {}),
  })
  return {
    point: (time: number) => point.format(time),
    tick: (time: number) => tick.format(time),
  }
}

/** "Friday, November 20, 2026" of a calendarDay. */
export const longDay = (day: number, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' }).format(day)

/** "November 2026" of a month such as 2026-11. */
export const nameOfMonth = (month: string, language: string) =>
  new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )
