import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'

/**
 * A skeleton that is as large as what comes in its place, in every language and on every screen: the same view with made-up
 * data, covered. Nobody hears or reaches what is in it.
 */
export function Outline({ children }: { children: ReactNode }) {
  return (
    <Skeleton visible radius="lg" aria-hidden="true" inert>
      {children}
    </Skeleton>
  )
}
