import type { ReactNode } from 'react'

/** A name and its value, in a list of facts (`dl`), which lays them out. */
export function Fact(props: {
  name: ReactNode
  className?: string | undefined
  children: ReactNode
}) {
  return (
    <div className={props.className}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}
