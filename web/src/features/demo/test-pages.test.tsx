import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { dashboard, plan } from '@/test/fixtures'
import { server, site, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

const open = () =>
  server.use(http.get('*/api/v2/site', () => success({ ...site, test_pages: true })))

const titles = {
  test1: 'Buttons and states',
  test2: 'Colour and type',
  test3: 'Layout',
  test4: 'Forms',
  test5: 'Tables',
  test6: 'Charts',
  test7: 'Messages',
  test8: 'Empty, loading, wrong',
  'shop-demo': 'Shop demo',
  'dashboard-demo': 'Dashboard demo',
  'api-example': 'API example',
}

const pages = Object.entries(titles)

describe('test pages', () => {
  it.each(pages)('%s is not there unless the setting says so', async (name, title) => {
    await openApp(`/test-page/${name}`)
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(screen.queryByRole('heading', { name: title })).not.toBeInTheDocument()
  })

  it.each(pages)('%s has its title, its layout and the way to the others', async (name, title) => {
    open()
    await openApp(`/test-page/${name}`)
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible()
    expect(document.title).toContain(title)
    const isWide = name === 'test2' || name === 'test3'
    expect(screen.queryAllByRole('navigation', { name: 'Main navigation' }).length > 0).toBe(
      !isWide,
    )
    const links = within(screen.getByRole('navigation', { name: 'Test pages' }))
    expect(links.getAllByRole('link')).toHaveLength(pages.length)
    expect(links.getByRole('link', { current: 'page' })).toHaveTextContent(title)
  })
})

describe('the parts they show', () => {
  it('a form says what is wrong and what is right', async () => {
    open()
    const { user } = await openApp('/test-page/test4')
    await user.click(await screen.findByRole('button', { name: 'Send' }))
    expect(await screen.findByText('You need to agree')).toBeVisible()
    await user.type(screen.getByLabelText('Name'), 'Ann')
    await user.type(screen.getByLabelText('Password', { selector: 'input' }), 'secret')
    await user.click(screen.getByRole('checkbox', { name: 'I agree to the terms' }))
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Everything was filled in correctly')).toBeVisible()
  })

  it('a view that failed comes after another try', async () => {
    open()
    const { user } = await openApp('/test-page/test8')
    expect(await screen.findByText('This example fails the first time.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Here it is.')).toBeVisible()
  })
})

describe('the demos', () => {
  it.each(['shop-demo', 'dashboard-demo'])('%s asks guests to sign in', async (name) => {
    open()
    const { router, user } = await openApp(`/test-page/${name}`)
    await user.click(await screen.findByRole('link', { name: 'Sign in' }))
    expect(router.state.location.search).toMatchObject({ next: `/test-page/${name}` })
  })

  it('the shop shows what is on sale', async () => {
    open()
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan()])))
    await openSignedIn('/test-page/shop-demo')
    const card = within(await screen.findByRole('region', { name: 'Standard' }))
    expect(card.getByRole('link', { name: 'Buy' })).toHaveAttribute(
      'href',
      expect.stringContaining('plan=2'),
    )
  })

  it('the dashboard shows the user’s figures', async () => {
    open()
    server.use(http.get('*/api/v2/user/dashboard', () => success(dashboard())))
    await openSignedIn('/test-page/dashboard-demo')
    expect(await screen.findByText('150 GB')).toBeVisible()
  })

  it('the example shows the raw answer', async () => {
    open()
    const { user } = await openApp('/test-page/api-example')
    await user.click(await screen.findByRole('button', { name: 'Send' }))
    expect(await screen.findByText(/Status 200/)).toBeVisible()
    expect(screen.getByRole('region', { name: '/api/v2/site' })).toBeVisible()
  })
})
