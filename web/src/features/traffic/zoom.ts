const LEAST = 2

/** Half or twice of what is shown, in percent of all, around its end: that is the newest. */
export function zoomed(shown: { start: number; end: number }, factor: number) {
  const width = Math.min(100, Math.max(LEAST, (shown.end - shown.start) * factor))
  const end = Math.min(100, Math.max(width, shown.end))
  return { start: end - width, end }
}
