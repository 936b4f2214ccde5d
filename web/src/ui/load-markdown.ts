/** Loads what shows Markdown. A route loads it beside a text of its page, which changes its height when this comes later. */
export const loadMarkdown = () => import('./markdown-view')
