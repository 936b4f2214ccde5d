import { readdirSync, readFileSync } from 'node:fs'
import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MailResult, MailTemplateResult } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const mail: MailResult = {
  mail_id: 9,
  recipient: 'eve@example.com',
  kind: 'login',
  lang: 'en',
  state: 'failed',
  tries: 3,
  last_error: 'no such mailbox',
  created_at: inDays(-1),
  expires_at: inDays(1),
  ended_at: inDays(-1),
  has_text: true,
  code_hidden: true,
  subject: 'Your code',
  text: 'Code: ••••••',
  html: '<body style="color: red"><p style="margin: 0">Code <b>x</b></p><script>alert(1)</script><a href="javascript:alert(1)" onclick="alert(1)">here</a></body>',
}

const template: MailTemplateResult = {
  kind: 'login',
  lang: 'en',
  subject: 'Your code',
  body: 'Your code:\n\n{{code}}',
  builtin_subject: 'Your code to sign in',
  builtin_body: 'To sign in:\n\n{{code}}',
  is_changed: true,
  changed_at: inDays(-1),
  name: 'Code to sign in',
  to_staff: false,
  variables: [
    { name: 'code', about: 'The code', example: '012345', is_block: true, is_needed: true },
  ],
  version: '4',
}

const sent = vi.fn<(path: string, body: unknown, version: string | null) => void>()

beforeEach(() => {
  sent.mockClear()
  const note = async ({ request }: { request: Request }) => {
    const text = await request.text()
    sent(
      new URL(request.url).pathname,
      text === '' ? undefined : JSON.parse(text),
      request.headers.get('If-Match'),
    )
    return success(template)
  }
  server.use(
    ...asStaff(
      'mail.read',
      'mail.code.read',
      'mail.retry',
      'mail.template.read',
      'mail.template.write',
    ),
    http.get('*/api/v2/staff/mails', () =>
      success({ mails: [mail], total_count: 1, page: 1, size: 50 }),
    ),
    http.get('*/api/v2/staff/mails/9', ({ request }) =>
      success(
        new URL(request.url).searchParams.has('with_code')
          ? { ...mail, code_hidden: false, text: 'Code: 012345' }
          : mail,
      ),
    ),
    http.post('*/api/v2/staff/mails/*', note),
    http.get('*/api/v2/staff/mail-templates', () =>
      success([
        {
          kind: 'login',
          lang: 'en',
          name: 'Code to sign in',
          to_staff: false,
          subject: 'Your code',
          is_changed: true,
          changed_by: 'owner@example.com',
          changed_at: inDays(-1),
        },
      ]),
    ),
    http.get('*/api/v2/staff/mail-templates/login/en', () => success(template)),
    http.post('*/api/v2/staff/mail-templates/login/en/preview', async ({ request }) => {
      const { subject, body } = (await request.json()) as { subject: string; body: string }
      return success({ subject, text: body, html: `<p>${body}</p>` })
    }),
    http.post('*/api/v2/staff/mail-templates/login/en/test', note),
    http.put('*/api/v2/staff/mail-templates/login/en', note),
    http.delete('*/api/v2/staff/mail-templates/login/en', note),
  )
})

describe('mails', () => {
  it('lists what was sent and sends it again', async () => {
    const { user } = await openSignedIn('/admin/mails')
    const table = await screen.findByRole('table', { name: 'Mail' })
    expect(await within(table).findByText('no such mailbox')).toBeVisible()
    await user.click(within(table).getByRole('link', { name: /eve@example\.com/ }))
    expect(await screen.findByRole('heading', { name: 'eve@example.com', level: 1 })).toBeVisible()
  })

  it('shows a mail without what could run, and its code where it is asked for', async () => {
    const { user } = await openSignedIn('/admin/mails/9')
    const frame: HTMLIFrameElement = await screen.findByTitle('As HTML')
    expect(frame.getAttribute('sandbox')).toBe('allow-same-origin')
    const body = frame.contentDocument?.body
    expect(body?.innerHTML).toBe(
      '<p style="margin: 0px;">Code </p><a title="javascript:alert(1)" href="#">here</a>',
    )
    await user.click(screen.getByText('As plain text'))
    expect(screen.getByText('Code: ••••••')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show the code' }))
    expect(await screen.findByText('Code: 012345')).toBeVisible()
  })
})

describe('the kinds of mails', () => {
  it.each(['zh-CN', 'en'] as const)('have a name in %s', (language) => {
    const texts = JSON.parse(readFileSync(`src/locales/${language}/console/mail.json`, 'utf8')) as {
      kind: object
    }
    const kinds = readdirSync('../internal/mail/templates/en').map((file) =>
      file.replace('.md', ''),
    )
    expect(Object.keys(texts.kind).toSorted()).toEqual(kinds.toSorted())
  })

  it('are in the list by that name, and one that is not known as the server has it', async () => {
    const rows = [mail, { ...mail, mail_id: 10, kind: 'newer' }]
    server.use(http.get('*/api/v2/staff/mails', () => success({ mails: rows, total_count: 2 })))
    await openSignedIn('/admin/mails')
    expect(await screen.findByRole('cell', { name: 'Code to sign in' })).toBeVisible()
    expect(screen.getByRole('cell', { name: 'newer' })).toBeVisible()
  })
})

describe('mail templates', () => {
  it('lists who changed what', async () => {
    await openSignedIn('/admin/mail-templates')
    expect(await screen.findByText('owner@example.com')).toBeVisible()
  })

  it('are chosen by the language of the text, which leaves the language of the console', async () => {
    const { router, user } = await openSignedIn('/admin/mail-templates')
    const [link] = await screen.findAllByRole('link', { name: template.name })
    expect(link).toHaveAttribute('href', '/admin/mail-templates/login?text=en')
    await user.click(link as HTMLElement)
    await user.click(await screen.findByRole('radio', { name: 'Chinese' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ text: 'zh-CN' }))
  })

  it('shows what a text makes while it is written, and saves it from its version', async () => {
    const { user } = await openSignedIn('/admin/mail-templates/login?text=en')
    const subject = await screen.findByLabelText(/^Subject/)
    await user.clear(subject)
    await user.type(subject, 'Welcome')
    const preview = screen.getByRole('region', { name: 'Preview' })
    expect(await within(preview).findByText('Welcome')).toBeVisible()
    await user.click(within(preview).getByText('Variables'))
    expect(screen.getByText('The code · needed · on a line of its own')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        '/api/v2/staff/mail-templates/login/en',
        { subject: 'Welcome', body: template.body },
        '"4"',
      ),
    )
  })

  it('shows both versions where another member changed the text meanwhile', async () => {
    const { user } = await openSignedIn('/admin/mail-templates/login?text=en')
    const subject = await screen.findByLabelText(/^Subject/)
    server.use(
      http.get('*/api/v2/staff/mail-templates/login/en', () =>
        success({ ...template, subject: 'Theirs', version: '5' }),
      ),
      http.put('*/api/v2/staff/mail-templates/login/en', () =>
        failure(409, { message: 'Changed', code: 'version_conflict' }),
      ),
    )
    await user.clear(subject)
    await user.type(subject, 'Mine')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('As it is now')).toBeVisible()
    expect(screen.getAllByText('Theirs')[0]).toBeVisible()
    expect(screen.getByLabelText(/^Subject/)).toHaveValue('Mine')
  })

  it('begins with the built-in text after it was asked for', async () => {
    const { user } = await openSignedIn('/admin/mail-templates/login?text=en')
    await user.click(await screen.findByRole('button', { name: 'Use the built-in text' }))
    server.use(
      http.get('*/api/v2/staff/mail-templates/login/en', () =>
        success({
          ...template,
          subject: template.builtin_subject,
          is_changed: false,
          version: '0',
        }),
      ),
    )
    const dialog = await screen.findByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'Use the built-in text' }))
    await waitFor(() =>
      expect(screen.getByLabelText(/^Subject/)).toHaveValue(template.builtin_subject),
    )
  })

  it('sends a test, and goes back to the built-in text', async () => {
    const { user } = await openSignedIn('/admin/mail-templates/login?text=en')
    await user.click(await screen.findByRole('button', { name: 'Send me a test' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        '/api/v2/staff/mail-templates/login/en/test',
        { subject: template.subject, body: template.body },
        null,
      ),
    )
    expect(sent).toHaveBeenCalledOnce()
    await user.click(await screen.findByRole('button', { name: 'Use the built-in text' }))
    const dialog = await screen.findByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'Use the built-in text' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/mail-templates/login/en', undefined, null),
    )
  })
})
