import type { AnyRouter } from '@tanstack/react-router'

/** Marks the document while a page loads: global.css draws a line then, so that a slow network is no dead link. */
export function markLoading(router: AnyRouter): void {
  const mark = (isLoading: boolean) => () =>
    document.documentElement.toggleAttribute('data-loading', isLoading)
  router.subscribe('onBeforeLoad', mark(true))
  router.subscribe('onResolved', mark(false))
}
