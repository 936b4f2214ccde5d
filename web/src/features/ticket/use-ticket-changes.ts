import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { ticketsListQueryKey, ticketsUnreadQueryKey } from '@/lib/api/gen/@tanstack/react-query.gen'
import { send } from '@/lib/api/client'

/** What the page shows first goes before the stream. */
const START_MS = 1_000
/** Without a stream the page asks this often. */
const POLL_MS = 5_000
/** A stream is never silent for longer; one that is has been cut, or something on the way keeps it back. */
const LONGEST_SILENCE_MS = 40_000
const FIRST_EVENT_MS = 5_000

/** Reads events until the stream ends or falls silent. */
async function readEvents(signal: AbortSignal, onEvent: () => void): Promise<void> {
  const silence = new AbortController()
  const both = AbortSignal.any([signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), FIRST_EVENT_MS)
  try {
    const address = new URL('/api/v2/user/tickets-v2/changes?stream=true', location.origin)
    const response = await send(new Request(address, { signal: both }))
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) return
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), LONGEST_SILENCE_MS)
      const events = (rest + part.value).split('\n\n')
      rest = events.pop() ?? ''
      if (events.some((event) => event.startsWith('event:'))) onEvent()
    }
  } finally {
    clearTimeout(timer)
  }
}

const pause = (signal: AbortSignal, ms: number) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })

/** Follows the stream for as long as the page is looked at; where there is none, asks again and again. */
async function follow(signal: AbortSignal, onChange: () => void): Promise<void> {
  await pause(signal, START_MS)
  while (!signal.aborted) {
    let isTold = false
    await readEvents(signal, () => {
      isTold = true
      onChange()
    }).catch(() => undefined)
    if (signal.aborted) return
    if (!isTold) onChange()
    await pause(signal, POLL_MS)
  }
}

/** Keeps the user's tickets current while a page about them is in sight. A hidden page holds no connection. */
export function useTicketChanges(): void {
  const queryClient = useQueryClient()
  const refresh = useEffectEvent(() => {
    void queryClient.invalidateQueries({ queryKey: ['ticket-conversation'] })
    void queryClient.invalidateQueries({ queryKey: ticketsUnreadQueryKey() })
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [key] }) =>
        typeof key === 'object' &&
        key !== null &&
        '_id' in key &&
        key._id === ticketsListQueryKey()[0]._id,
    })
  })
  useEffect(() => {
    let leaving: AbortController | undefined
    const look = () => {
      leaving?.abort()
      leaving = undefined
      if (document.visibilityState !== 'visible') return
      leaving = new AbortController()
      void follow(leaving.signal, refresh)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      leaving?.abort()
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
}
