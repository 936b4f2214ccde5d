/** Answers take their time, and name theirs in seconds. */
const NEAR_MS = 3_000

let aheadMs = 0

/** Reads from an answer how far the server's clock is ahead of this device's. */
export function readServerTime(response: Response): void {
  const time = Date.parse(response.headers.get('Date') ?? '')
  if (Number.isNaN(time)) return
  const ahead = time - Date.now()
  aheadMs = Math.abs(ahead) < NEAR_MS ? 0 : ahead
}

/** The server's time that corresponds to a time of this device's clock. */
export const toServerTime = (time: number) => time + aheadMs
