import { notifications } from '@mantine/notifications'
import { createMemoryHistory } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { App } from '@/app/app'
import { type Language, startI18n } from '@/app/i18n'
import { lookOf } from '@/app/look'
import { queryClient } from '@/app/query-client'
import { createAppRouter } from '@/app/router'
import { session } from '@/lib/session/current-session'
import { afterTest } from './after-test'
import { accessToken, refreshToken } from './tokens'

const routers: ReturnType<typeof createAppRouter>[] = []

// A page that still loads when its test ends would be drawn after the window is gone, or in the next test.
afterTest.add(async () => {
  for (const router of routers.splice(0))
    Object.assign(router, {
      navigate: () => Promise.resolve(),
      startTransition: () => Promise.resolve(false),
    })
  forget()
  // A refresh that is under way would go on with the tokens of the next test.
  if (localStorage.getItem('refresh_lock')) await session.refresh()
})

function forget() {
  session.signOut()
  queryClient.clear()
  notifications.clean()
  notifications.cleanQueue()
}

/** The whole app at an address, as a browser without tokens shows it. */
export async function openApp(path: string, language: Language = 'en') {
  document.documentElement.lang = language
  await startI18n()
  forget()
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
