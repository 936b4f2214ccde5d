const DAY_MS = 86_400_000

/** "2026-11-20" of a calendarDay. */
export const dateOf = (day: number) => new Date(day).toISOString().slice(0, 10)

/** The calendarDay of "2026-11-20". */
export const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`)

/** What a clock of the zone shows at a time, as if it were one in UTC. */
function clock(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(time)
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value)
  return Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
}

/** When a day of the zone's calendar begins; where clocks skip its midnight, with the first hour that there is. */
export function startOfDay(date: string, zone: string): Date {
  const midnight = dayOf(date)
  const atOffsetOf = (time: number) => midnight - (clock(time, zone) - time)
  const first = atOffsetOf(midnight)
  const second = atOffsetOf(first)
  return new Date(clock(second, zone) === midnight ? second : Math.max(first, second))
}

/** The times between which a day lies. */
export const boundsOfDay = (date: string, zone: string) => ({
  from: startOfDay(date, zone).toISOString(),
  to: startOfDay(dateOf(dayOf(date) + DAY_MS), zone).toISOString(),
})
