import type { Page } from '@playwright/test'

/** What the router of the app offers here. */
type Router = {
  navigate(to: { href: string }): Promise<void>
  subscribe(event: 'onRendered', listener: () => void): () => void
}

/** Goes to another page of the app as its links do, which loads nothing again, and waits until it is drawn. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(async (href) => {
    const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router }
    const drawn = new Promise<void>((resolve) => {
      const stop = router.subscribe('onRendered', () => {
        stop()
        resolve()
      })
    })
    await router.navigate({ href })
    await drawn
  }, path)
}
