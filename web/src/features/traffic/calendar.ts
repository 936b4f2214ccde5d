import { dayOf } from './days'

const DAY_MS = 86_400_000

/** The month of "2026-11-20", and months next to one. */
export const monthOf = (date: string) => date.slice(0, 7)
export const addMonths = (month: string, count: number) => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/** The weeks of a month as calendarDays, with undefined where a week belongs to other months; 0 is Sunday. */
export function weeksOf(month: string, firstWeekday: number): (number | undefined)[][] {
  const first = dayOf(`${month}-01`)
  const end = dayOf(`${addMonths(month, 1)}-01`)
  const before = (new Date(first).getUTCDay() - firstWeekday + 7) % 7
  const cells: (number | undefined)[] = Array.from({ length: before }, () => undefined)
  for (let day = first; day < end; day += DAY_MS) cells.push(day)
  while (cells.length % 7 > 0) cells.push(undefined)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

/** The first day of a week where the language is spoken. */
export const firstWeekdayIn = (language: string) => (language.startsWith('zh') ? 1 : 0)
