import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { server, stillLoading } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

beforeEach(() => server.use(stillLoading))

describe('the menu behind “Me”', () => {
  it('ends with a link that signs out', async () => {
    const { router, user } = await openSignedIn('/settings')
    await user.click(await screen.findByRole('button', { name: 'Me', hidden: true }))
    const links = within(await screen.findByRole('dialog')).getAllByRole('link')
    const last = links.at(-1)
    expect(last).toHaveTextContent('Sign out')
    await user.click(last as HTMLElement)
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-out'))
  })
})
