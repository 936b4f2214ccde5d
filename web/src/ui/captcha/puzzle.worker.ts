import { type Puzzle, solve } from './puzzle'

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's has none
self.addEventListener('message', ({ data }: MessageEvent<Puzzle>) => self.postMessage(solve(data)))
