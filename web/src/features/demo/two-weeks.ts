const GB = 1024 ** 3
const DAY_MS = 86_400_000

export type DemoDay = { day: number; down: number; up: number }

/** Figures to draw and to list: two weeks up to a day, the same for every visitor. */
export const twoWeeks: DemoDay[] = Array.from({ length: 14 }, (_, index) => ({
  day: Date.UTC(2026, 0, 1) + index * DAY_MS,
  down: (2 + Math.abs(Math.sin(index)) * 6) * GB,
  up: (0.5 + Math.abs(Math.cos(index))) * GB,
}))

/** From here on a day is marked. */
export const MUCH = 7 * GB
