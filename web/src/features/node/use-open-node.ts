import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useRef } from 'react'

const route = getRouteApi('/user/nodes')

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The node was opened from the list, which is one step back. */
    isFromList?: boolean
  }
}

/** The node that the address names, and the way back to the list: a step back where it was opened from there. */
export function useOpenNode() {
  const id = route.useSearch({ select: ({ node }) => node })
  const navigate = route.useNavigate()
  const router = useRouter()
  const closing = useRef<number>(undefined)
  const close = () => {
    if (closing.current === id) return // pressed twice before the address has changed
    closing.current = id
    if (router.state.location.state.isFromList) router.history.back()
    else {
      void navigate({
        search: (now) => ({ ...now, node: undefined }),
        replace: true,
        resetScroll: false,
      })
    }
  }
  /** To be called once it is closed, so that the same node can be closed again. */
  const closed = () => {
    closing.current = undefined
  }
  return { id, close, closed }
}
