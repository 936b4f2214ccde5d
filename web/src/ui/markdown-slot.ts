import type { MarkdownView } from './markdown-view'

/** What shows Markdown, once it is loaded: a lazy component draws its fallback first also where it is loaded already. */
export const markdownSlot: { View?: typeof MarkdownView } = {}
