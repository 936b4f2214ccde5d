import { createFileRoute, redirect } from '@tanstack/react-router'
import { StandaloneNotFoundPage } from '@/app/not-found-page'

/** Every address that no open page has: with the routes of all pages there it is looked up once more. */
export const Route = createFileRoute('/$')({
  beforeLoad: async ({ context, location }) => {
    if (await context.hasPage(location.pathname)) {
      throw redirect({ href: location.href, state: true, replace: true })
    }
  },
  component: StandaloneNotFoundPage,
})
