const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length
const MINUTE_MS = 60_000

/** A time as an input of the browser has it: in its zone, to the minute. */
export function timeInput(time: string | null): string {
  if (!time) return ''
  const date = new Date(time)
  const shift = date.getTimezoneOffset() * MINUTE_MS
  return new Date(date.getTime() - shift).toISOString().slice(0, MINUTE_LENGTH)
}

/** What such an input holds, as the contract has times; empty where it is empty. */
export const inputTime = (input: unknown): string =>
  typeof input === 'string' && input !== '' ? new Date(input).toISOString() : ''
