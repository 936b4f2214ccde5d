import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shows what is below something whose height is known only with its data once those are there, so that nothing moves. */
export function FirstLoad(props: { isLoading: boolean; children: ReactNode }) {
  if (!props.isLoading) return props.children
  return (
    <div aria-busy="true">
      <Skeleton height={480} radius="lg" />
    </div>
  )
}
