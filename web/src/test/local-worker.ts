import { type Puzzle, solve } from '@/ui/captcha/puzzle'

/** jsdom has no workers: this one solves puzzles in the page. While `isHeld` is set, it answers nothing. */
export class LocalWorker extends EventTarget {
  static readonly running = new Set<LocalWorker>()
  static isHeld = false
  #asked: Puzzle | undefined

  constructor() {
    super()
    LocalWorker.running.add(this)
  }

  static release() {
    LocalWorker.isHeld = false
    for (const worker of LocalWorker.running) worker.#answer()
  }

  postMessage(puzzle: Puzzle) {
    this.#asked = puzzle
    if (!LocalWorker.isHeld) queueMicrotask(() => this.#answer())
  }

  terminate() {
    LocalWorker.running.delete(this)
  }

  #answer() {
    if (!this.#asked || !LocalWorker.running.has(this)) return
    const data = solve(this.#asked)
    this.#asked = undefined
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}
