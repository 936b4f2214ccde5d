import type { AnyRouter } from '@tanstack/react-router'

/** Tells screen readers about the new page: after a change of path its heading has the focus. */
export function focusOnNavigation(router: AnyRouter): void {
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return
    // A page that has put the focus into its form knows better.
    if (document.activeElement?.matches('input, textarea')) return
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  })
}
