import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SettingItem, SettingList } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, site, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { inputOf, valueOf } from './values'

const setting = (
  change: Partial<SettingItem> & Pick<SettingItem, 'name' | 'title'>,
): SettingItem => ({
  area: 'site',
  kind: 'text',
  hint: '',
  unit: '',
  least: '',
  most: '',
  choices: [],
  value: '',
  default: '',
  is_sensitive: false,
  is_changed: false,
  changed_at: null,
  changed_by: '',
  ...change,
})

const settings = (change: Partial<SettingList> = {}): SettingList => ({
  version: '7',
  areas: [
    { area: 'site', name: 'Site' },
    { area: 'mail', name: 'Mail' },
  ],
  settings: [
    setting({
      name: 'site_name',
      title: 'Name of the site',
      value: 'Mine',
      default: 'Usual',
      is_changed: true,
      changed_at: inDays(-1),
      changed_by: 'eve@example.com',
    }),
    setting({
      name: 'test_pages',
      title: 'Test pages',
      kind: 'switch',
      value: false,
      default: false,
    }),
    setting({
      name: 'smtp_port',
      title: 'SMTP port',
      area: 'mail',
      kind: 'number',
      least: '1',
      most: '65535',
      value: 587,
      default: 587,
      is_sensitive: true,
    }),
  ],
  secrets: [
    {
      name: 'smtp_password',
      title: 'SMTP password',
      area: 'mail',
      is_set: true,
      set_at: inDays(-1),
    },
  ],
  ...change,
})

const sent = vi.fn<(version: string | null, body: unknown) => void>()
let present: SettingList

beforeEach(() => {
  sent.mockClear()
  sessionStorage.clear()
  present = settings()
  server.use(
    ...asStaff('setting.read', 'setting.write', 'setting.sensitive.write'),
    http.get('*/api/v2/staff/settings', () => success(present)),
    http.get('*/api/v2/staff/settings/site_name/history', () =>
      success([
        {
          entry_id: 9,
          at: inDays(-1),
          by: 'eve@example.com',
          before: 'Former',
          after: 'Mine',
          reason: 'a new name',
          is_present: true,
        },
      ]),
    ),
    http.patch('*/api/v2/staff/settings', async ({ request }) => {
      const version = request.headers.get('If-Match')
      sent(version, await request.json())
      if (version !== `"${present.version}"`)
        return failure(409, { message: 'Somebody was faster', code: 'version_conflict' })
      present = { ...present, version: '8' }
      return success(present)
    }),
  )
})

const save = async (user: Awaited<ReturnType<typeof openSignedIn>>['user']) =>
  user.click(await screen.findByRole('button', { name: 'Save' }))

describe('the settings', () => {
  it('are shown by area, found by words, and saved together', async () => {
    const { user } = await openSignedIn('/admin/settings')
    const name = await screen.findByRole('textbox', { name: 'Name of the site' })
    expect(screen.queryByRole('textbox', { name: 'SMTP port' })).toBeNull()
    await user.clear(name)
    await user.type(name, 'Other')
    await user.click(screen.getByRole('link', { name: 'Mail' }))
    const port = await screen.findByRole('textbox', { name: 'SMTP port' })
    await user.clear(port)
    await user.type(port, '25')
    await user.type(screen.getByLabelText('SMTP password'), 'hunter2')
    const changes = screen.getByRole('region', { name: 'Changes to save' })
    expect(changes).toHaveTextContent('Mine Other')
    expect(changes).not.toHaveTextContent('hunter2')
    expect(sessionStorage.getItem('console-draft:7:settings')).not.toContain('hunter2')
    await save(user)
    expect(await screen.findByText('This is needed.')).toBeVisible()
    await user.type(screen.getByRole('textbox', { name: /^Reason/ }), 'moved')
    await save(user)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('"7"', {
        values: { site_name: 'Other', smtp_port: 25 },
        reset: [],
        secrets: { smtp_password: 'hunter2' },
        reason: 'moved',
      }),
    )
    await user.type(screen.getByRole('searchbox', { name: 'Search settings' }), 'test')
    expect(await screen.findByRole('switch', { name: 'Test pages' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('textbox', { name: 'SMTP port' })).toBeNull())
  })

  it('say that changes from before are not saved yet, and drop them', async () => {
    sessionStorage.setItem('console-draft:7:settings', JSON.stringify({ site_name: 'Begun' }))
    const { user } = await openSignedIn('/admin/settings')
    const name = await screen.findByRole('textbox', { name: 'Name of the site' })
    expect(name).toHaveValue('Begun')
    expect(screen.getByText('You have changes here that are not saved.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Drop them' }))
    expect(name).toHaveValue('Mine')
    expect(screen.queryByText('You have changes here that are not saved.')).toBeNull()
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus()
    expect(sessionStorage.getItem('console-draft:7:settings')).toBeNull()
  })

  it('are reset to their defaults, and taken back to what they were', async () => {
    const { user } = await openSignedIn('/admin/settings')
    await user.click(
      await screen.findByRole('button', { name: 'Reset Name of the site to its default' }),
    )
    expect(screen.getByRole('textbox', { name: 'Name of the site' })).toHaveValue('Usual')
    await save(user)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('"7"', { values: {}, reset: ['site_name'], secrets: {} }),
    )
    await user.click(await screen.findByRole('button', { name: 'History of Name of the site' }))
    const history = await screen.findByRole('list', { name: 'History of Name of the site' })
    expect(history).toHaveTextContent('a new name')
    await user.click(await within(history).findByRole('button', { name: 'Take back: Former' }))
    await save(user)
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith(
        '"8"',
        expect.objectContaining({ values: { site_name: 'Former' } }),
      ),
    )
  })

  it('show both versions where another member was faster', async () => {
    const { user } = await openSignedIn('/admin/settings')
    const name = await screen.findByRole('textbox', { name: 'Name of the site' })
    await user.clear(name)
    await user.type(name, 'Other')
    const [first, ...rest] = settings().settings
    present = settings({
      version: '9',
      settings: [
        setting({ ...first, name: 'site_name', title: 'Name of the site', value: 'Theirs' }),
        ...rest,
      ],
    })
    await save(user)
    const notice = await screen.findByRole('alert')
    expect(notice).toHaveTextContent('Theirs')
    expect(
      within(notice).getByRole('heading', { name: 'This was changed meanwhile' }),
    ).toHaveFocus()
    const changes = screen.getByRole('region', { name: 'Changes to save' })
    expect(changes).toHaveTextContent('Theirs Other')
    await user.click(within(notice).getByRole('button', { name: 'Keep mine' }))
    expect(within(changes).getByRole('status')).toHaveTextContent('It is still to be saved.')
    expect(screen.getByRole('button', { name: 'Save' })).toHaveFocus()
    await user.keyboard('{Enter}')
    await waitFor(() => expect(sent).toHaveBeenLastCalledWith('"9"', expect.anything()))
  })

  it('are shown as they are now where an earlier try was received without an answer', async () => {
    const said = 'This was received before'
    server.use(
      http.patch('*/api/v2/staff/settings', () =>
        failure(409, { message: said, code: 'already_received' }),
      ),
    )
    const { user } = await openSignedIn('/admin/settings')
    const name = await screen.findByRole('textbox', { name: 'Name of the site' })
    await user.clear(name)
    await user.type(name, 'Other')
    const [first, ...rest] = settings().settings
    present = settings({
      version: '8',
      settings: [
        setting({ ...first, name: 'site_name', title: 'Name of the site', value: 'Saved' }),
        ...rest,
      ],
    })
    await save(user)
    expect(await screen.findByText(said)).toBeVisible()
    expect(await screen.findByDisplayValue('Saved')).toBeVisible()
    expect(sessionStorage.getItem('console-draft:7:settings')).toBeNull()
  })

  it('are tried, and say at which step it failed', async () => {
    server.use(
      ...asStaff('setting.read', 'setting.test'),
      http.post('*/api/v2/staff/settings/tests/mail', () =>
        success({
          is_ok: false,
          steps: [
            { title: 'Check the settings', is_ok: true, error: '' },
            { title: 'Connect and sign in', is_ok: false, error: '535 wrong password' },
          ],
        }),
      ),
    )
    const { user } = await openSignedIn('/admin/settings?area=mail')
    await user.click(await screen.findByRole('button', { name: 'Send me a test mail' }))
    expect(await screen.findByText('535 wrong password')).toBeVisible()
  })

  it('of money and security are seen and not changed by who may not', async () => {
    server.use(...asStaff('setting.read', 'setting.write'))
    await openSignedIn('/admin/settings?area=mail')
    expect(await screen.findByText('587')).toBeVisible()
    expect(screen.queryByRole('textbox', { name: 'SMTP port' })).toBeNull()
    expect(screen.queryByLabelText('SMTP password')).toBeNull()
  })
})

describe('values of settings', () => {
  it.each([
    ['switch', true],
    ['number', 5],
    ['amount', '1.00'],
    ['texts', ['a', 'b']],
    ['numbers', [-5, -6]],
    ['class_names', [{ class: 1, name: 'Gold', names: { en: 'Gold' } }]],
    ['choice', 'tls'],
  ] as const)('of the kind %s come back as they were', (kind, value) => {
    expect(valueOf(kind, inputOf(kind, value))).toEqual(value)
  })
})

describe('the look', () => {
  const accent = setting({ name: 'accent', title: 'Accent colour', area: 'look', kind: 'colour' })

  beforeEach(() => {
    present = settings({ areas: [{ area: 'look', name: 'Look' }], settings: [accent], secrets: [] })
  })

  it('is shown with the contrasts of the chosen colour before it is saved', async () => {
    const { user } = await openSignedIn('/admin/settings')
    const preview = await screen.findByRole('region', { name: 'How it will look' })
    const before = preview.innerHTML
    await user.type(await screen.findByRole('textbox', { name: 'Accent colour' }), '#ffff00')
    await waitFor(() => expect(preview.innerHTML).not.toBe(before))
    const ratios = within(preview).getAllByText(/^Contrast/)
    expect(ratios).toHaveLength(2)
    for (const { textContent } of ratios)
      for (const [ratio] of textContent.matchAll(/\d+\.\d/g))
        expect(Number(ratio)).toBeGreaterThanOrEqual(4.5)
    await save(user)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        '"7"',
        expect.objectContaining({ values: { accent: '#ffff00' } }),
      ),
    )
  })

  it('has a logo that is uploaded, refused with the reason, and removed', async () => {
    const uploads: unknown[] = []
    let look = { ...site.look }
    server.use(
      http.get('*/api/v2/site', () => success({ ...site, look })),
      http.post('*/api/v2/staff/site-pictures/logo', async ({ request }) => {
        uploads.push(await request.json())
        if (uploads.length === 1) {
          const message = 'The logo must be a PNG, JPEG or WebP'
          return failure(422, { code: 'type', message })
        }
        look = { ...look, logo_url: '/site-pictures/logo?v=1' }
        return success({})
      }),
      http.delete('*/api/v2/staff/site-pictures/logo', () => {
        look = { ...look, logo_url: '' }
        return success({})
      }),
    )
    const { user } = await openSignedIn('/admin/settings')
    const preview = await screen.findByRole('region', { name: 'How it will look' })
    const input = preview.querySelector<HTMLInputElement>('input[type=file]')
    if (!input) throw new Error('There is no input for a file')
    await user.upload(input, new File(['abc'], 'a.png', { type: 'image/png' }))
    expect(await within(preview).findByText(/must be a PNG/)).toBeVisible()
    await user.upload(input, new File(['abc'], 'a.png', { type: 'image/png' }))
    expect(await within(preview).findByRole('img', { name: 'Logo' })).toHaveAttribute(
      'src',
      '/site-pictures/logo?v=1',
    )
    expect(uploads).toEqual([{ data: 'YWJj' }, { data: 'YWJj' }])
    await user.click(within(preview).getByRole('button', { name: 'Use the built-in one: Logo' }))
    await waitFor(() => expect(within(preview).queryByRole('img', { name: 'Logo' })).toBeNull())
  })
})
