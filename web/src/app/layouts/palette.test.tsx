import { screen } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { link } from '@/test/fixtures'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const linkCall = '*/api/v2/user/services/link-token/link-token'

async function chooseCopy() {
  const { user } = await openSignedIn('/user/my-account')
  await user.click(
    await screen.findByRole('button', { name: /^Search and commands/, hidden: true }),
  )
  await user.click(await screen.findByRole('button', { name: 'Copy subscription link' }))
}

beforeEach(() => server.use(stillLoading))

describe('“Copy subscription link” of the palette', () => {
  it('copies it from anywhere and says so', async () => {
    server.use(http.get(linkCall, () => success(link())))
    await chooseCopy()
    const toast = (await screen.findByText('Subscription link copied')).closest('[role]')
    expect(toast).toHaveAttribute('role', 'status')
    expect(await navigator.clipboard.readText()).toBe(link().url)
  })

  it('says why it could not, until that is read', async () => {
    server.use(
      http.get(linkCall, () => failure(403, { message: 'You are suspended', code: 'banned' })),
    )
    await chooseCopy()
    const toast = (await screen.findByText('You are suspended')).closest('[role]')
    expect(toast).toHaveAttribute('role', 'alert')
    vi.useFakeTimers()
    vi.advanceTimersByTime(60_000)
    expect(toast).toBeVisible()
  })
})
