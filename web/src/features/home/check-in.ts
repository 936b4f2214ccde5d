import type { CheckInDay } from '@/lib/api/gen/types.gen'

/** The month of a day, both as the API writes them: 2026-11 of 2026-11-23. */
export const monthOf = (date: string): string => date.slice(0, 7)

/** The month so many months later. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

export type CalendarCell = { date: string; day: number; checkedIn: CheckInDay | undefined }

/** The weeks of a month; cells before its first day and after its last one are empty. `firstDay` is 0 for Sunday. */
export function weeksOf(
  month: string,
  days: readonly CheckInDay[],
  firstDay: number,
): (CalendarCell | undefined)[][] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const first = new Date(Date.UTC(year, number - 1, 1))
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const byDate = new Map(days.map((day) => [day.date, day]))
  const cells: (CalendarCell | undefined)[] = Array.from(
    { length: (first.getUTCDay() - firstDay + 7) % 7 },
    () => undefined,
  )
  for (let day = 1; day <= length; day++) {
    const date = `${month}-${String(day).padStart(2, '0')}`
    cells.push({ date, day, checkedIn: byDate.get(date) })
  }
  while (cells.length % 7 !== 0) cells.push(undefined)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

/** Monday, but where weeks begin on a Sunday. */
export const firstDayIn = (language: string): number => (language.startsWith('zh') ? 1 : 0)
