import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const wrongCode = () =>
  failure(422, {
    message: 'Check the form',
    code: 'invalid_input',
    errors: [{ field: 'code', code: 'setup_code_wrong', message: 'This is not the code' }],
  })

beforeEach(() =>
  server.use(
    stillLoading,
    http.get('*/api/v2/site', () => success({ ...site, unowned: true })),
    http.post('*/api/v2/setup/check-code', async ({ request }) =>
      ((await request.json()) as { code: string }).code === 'ABCDE-FGHIJ'
        ? success({})
        : wrongCode(),
    ),
  ),
)

it('asks for the code, makes the owner, offers a second factor and leads to the console', async () => {
  let sent: Record<string, unknown> = {}
  server.use(
    http.post('*/api/v2/setup/owner', async ({ request }) => {
      sent = (await request.json()) as typeof sent
      return success({ access_token: accessToken(), refresh_token: refreshToken() })
    }),
  )
  const { user, router } = await openApp('/setup')
  await user.type(await screen.findByLabelText('Setup code'), 'WRONG')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByText('This is not the code')).toBeVisible()
  await user.clear(screen.getByLabelText('Setup code'))
  await user.type(screen.getByLabelText('Setup code'), ' ABCDE-FGHIJ ')
  await user.click(screen.getByRole('button', { name: 'Next' }))

  await user.type(await screen.findByLabelText('Email'), 'me@example.com')
  await user.type(screen.getByLabelText('Password'), 'correct horse')
  await user.type(screen.getByLabelText('Password again'), 'correct horse')
  await user.type(screen.getByLabelText('Name of the site'), 'Northwind')
  await user.click(screen.getByRole('button', { name: 'Make it mine' }))
  expect(
    await screen.findByRole('heading', { level: 1, name: 'Protect your account' }),
  ).toBeVisible()
  expect(sent).toMatchObject({
    code: 'ABCDE-FGHIJ',
    email: 'me@example.com',
    password: 'correct horse',
    site_name: 'Northwind',
    language: 'en',
  })
  expect(sent.re_password).toBeUndefined()
  await user.click(await screen.findByRole('button', { name: 'Later, go to the console' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin'))
})

it('has nothing to set up on a site with an owner', async () => {
  server.use(http.get('*/api/v2/site', () => success(site)))
  await openApp('/setup')
  expect(await screen.findByRole('heading', { name: 'This site has an owner' })).toBeVisible()
})
