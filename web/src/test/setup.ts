import '@testing-library/jest-dom/vitest'
import { cleanup, configure, prettyDOM } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { afterTest } from './after-test'
import { server } from './msw/server'

configure({
  // What is waited for comes later on a busy machine than the second that is the default. Nothing waits in vain.
  asyncUtilTimeout: 30_000,
  // Who waits for something looks for it again and again: the page is printed only where somebody reads the message.
  getElementError(message, container) {
    const error = new Error(message ?? '')
    error.name = 'TestingLibraryElementError'
    const get = () => [message, prettyDOM(container)].filter(Boolean).join('\n\n')
    return Object.defineProperty(error, 'message', { configurable: true, get })
  },
})

// jsdom has none of these.
window.matchMedia = (query) =>
  Object.assign(new EventTarget(), {
    matches: false,
    media: query,
    onchange: null,
  }) as MediaQueryList
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
// Everything is in sight.
window.IntersectionObserver = class implements IntersectionObserver {
  readonly root = null
  readonly rootMargin = ''
  readonly scrollMargin = ''
  readonly thresholds = []
  readonly #tell: IntersectionObserverCallback
  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell
  }
  observe(target: Element) {
    this.#tell([{ target, isIntersecting: true } as IntersectionObserverEntry], this)
  }
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return []
  }
}
window.scrollTo = () => undefined
Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() })
Element.prototype.scrollIntoView = () => undefined

let ofTest = new AbortController()

beforeAll(() => {
  server.listen({ onUnhandledFrame: 'error' })
  const send = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const signals = [ofTest.signal, ...(init?.signal ? [init.signal] : [])]
    return send(input, { ...init, signal: AbortSignal.any(signals) })
  }
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  cleanup()
  // Nothing that a test has begun goes on in the next one.
  ofTest.abort()
  await new Promise((resolve) => setTimeout(resolve))
  for (const end of afterTest) await end()
  ofTest = new AbortController()
  server.resetHandlers()
  sessionStorage.clear()
  localStorage.clear()
})
afterAll(() => server.close())
