import { createMemoryHistory } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach } from 'vitest'
import { App } from '@/app/app'
import { type Language, startI18n } from '@/app/i18n'
import { lookOf } from '@/app/look'
import { queryClient } from '@/app/query-client'
import { createAppRouter } from '@/app/router'
import { session } from '@/lib/session/current-session'
import { accessToken, refreshToken } from './tokens'

const routers: ReturnType<typeof createAppRouter>[] = []

// A page that still loads when its test ends would be drawn after the window is gone.
afterEach(() => {
  for (const router of routers.splice(0)) router.startTransition = () => Promise.resolve(false)
})

/** The whole app at an address, as a browser without tokens shows it. */
export async function openApp(path: string, language: Language = 'en') {
  document.documentElement.lang = language
  await startI18n()
  queryClient.clear()
  session.signOut()
  const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }))
  routers.push(router)
  const user = userEvent.setup()
  render(<App router={router} look={await lookOf(undefined)} />)
  return { router, user }
}

/** The same for somebody who is signed in. */
export async function openSignedIn(path: string, language: Language = 'en') {
  const opened = await openApp('/about', language)
  session.signIn({ access_token: accessToken(), refresh_token: refreshToken() })
  await opened.router.navigate({ href: path })
  return opened
}
