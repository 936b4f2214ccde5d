const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** An axis of bytes with round numbers of KB, MB, GB … on it: at most five lines above zero. */
export function byteScale(largest: number): { max: number; interval: number } {
  let unit = 1024
  while (largest >= unit * 1024) unit *= 1024
  const step = STEPS.find((size) => size * unit * 5 >= largest) ?? 500
  const interval = step * unit
  return { max: Math.max(1, Math.ceil(largest / interval)) * interval, interval }
}
