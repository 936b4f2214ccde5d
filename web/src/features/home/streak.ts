import type { CheckInResult } from '@/lib/api/gen/types.gen'

/** How many days of the present run are full, and how many more give the most. */
export function streakOf(status: Pick<CheckInResult, 'streak' | 'bonus_streak' | 'state'>): {
  filled: number
  left: number
} {
  const { streak, bonus_streak: whole } = status
  const over = streak % whole
  // A run that is full is shown until the next day begins another one.
  const filled = over === 0 && streak > 0 && status.state === 'done' ? whole : over
  return { filled, left: filled === whole ? whole : whole - filled }
}
