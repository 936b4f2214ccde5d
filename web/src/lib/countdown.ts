/** "29:05" for a time left in milliseconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const rest = String(seconds % 60).padStart(2, '0')
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${rest}`
}
