import type { Puzzle } from './puzzle'

const MOST_WORKERS = 4

type Challenge = { id: string; puzzles: number; zeros: number }

/** Solves all puzzles of a challenge outside of the page's thread, on as many cores as the device can spare. */
export function solveChallenge(
  { id, puzzles, zeros }: Challenge,
  options: { signal: AbortSignal; onProgress: (solved: number) => void },
): Promise<number[]> {
  const { signal } = options
  const solutions: number[] = []
  let next = 0
  let solved = 0
  const spare = Math.max(1, navigator.hardwareConcurrency - 1)
  const workers = Array.from({ length: Math.min(spare, MOST_WORKERS, puzzles) }, startWorker)

  return new Promise<number[]>((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    for (const worker of workers) {
      let index = next++
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's has none
      const give = () => worker.postMessage({ challenge: id, index, zeros } satisfies Puzzle)
      worker.addEventListener('error', () => reject(new Error('The worker does not start')))
      worker.addEventListener('message', ({ data }: MessageEvent<number>) => {
        solutions[index] = data
        options.onProgress(++solved)
        if (solved === puzzles) resolve(solutions)
        index = next++
        if (index < puzzles) give()
      })
      give()
    }
  }).finally(() => workers.forEach((worker) => worker.terminate()))
}

const startWorker = () =>
  new Worker(new URL('puzzle.worker.ts', import.meta.url), { type: 'module' })
