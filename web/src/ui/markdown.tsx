import { createElement, Suspense } from 'react'
import { lazyPart } from '@/lib/lazy-part'
import { loadMarkdown } from './load-markdown'
import { markdownSlot } from './markdown-slot'
import classes from './markdown.module.css'

const LateView = lazyPart(loadMarkdown, 'MarkdownView')

export type MarkdownProps = {
  text: string
  /** The level of the heading that `#` makes: one below that of what contains the text. */
  level?: 2 | 3 | 4
}

/** Text that people write, in Markdown. Its source is shown where what reads Markdown does not come at once. */
export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<div className={classes.source}>{props.text}</div>}>
      {createElement(markdownSlot.View ?? LateView, props)}
    </Suspense>
  )
}
