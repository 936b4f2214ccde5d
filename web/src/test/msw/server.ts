import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'

/** The form every answer of /api/v2 has. */
export const success = (result: unknown) =>
  HttpResponse.json({ is_success: true, message: '', result })

export const failure = (
  status: number,
  problem: {
    message: string
    code: string
    details?: Record<string, string>
    errors?: { field: string; code: string; message: string }[]
  },
  headers: Record<string, string> = {},
) => HttpResponse.json({ is_success: false, request_id: 'req-1', ...problem }, { status, headers })

export const site = {
  site_name: '',
  site_url: 'http://localhost:3000',
  footer: '',
  version: '0.1.0',
  build: 'test',
  demo: false,
  currency: 'CNY',
  time_zone: 'Asia/Shanghai',
  crisp_website_id: '',
  unowned: false,
  telegram: '',
  sign_up: { mode: 'open', email_code: false },
  captcha: { register: 'risk', login: 'risk', forgot_password: 'risk', checkin: 'never' },
  about: {
    text_zh: '',
    text_en: '',
    contact_email: '',
    contact_url: '',
    terms_url: '',
    privacy_url: '',
    source_url: '',
  },
  look: { logo_url: '', icon_url: '', accent: '', button: '', footer_zh: '', footer_en: '' },
  legal: { version: '', has_terms: false, has_privacy: false },
  test_pages: false,
  maintenance: [],
  recharge: { presets: ['50.00'], min: '1.00', max: '1000.00' },
}

/** What the shell asks on every page; a mutation that asks for everything again waits for it too. */
const ofShell = /\/(announcements|tickets-v2)\/unread$/

/** For tests that only pass by a page of the user area: it stays in its loading state. */
export const stillLoading = http.get('*/api/v2/user/*', ({ request }) =>
  ofShell.test(new URL(request.url).pathname) ? undefined : new Promise<never>(() => undefined),
)

/** The account may be used. Before `stillLoading` where a test waits for it too. */
export const notBanned = http.get('*/api/v2/user/get_me', () =>
  success({ is_ban: false, ban: null }),
)

/** Nothing is announced; the shell asks on every page. */
export const nothingNew = http.get('*/api/v2/user/announcements/unread', () =>
  success({ unread_count: 0, pop_ups: [], maintenance: [] }),
)

/** What any page may ask; a test adds its own answers with `server.use`. */
export const server = setupServer(
  http.get('*/api/v2/site', () => success(site)),
  notBanned,
  nothingNew,
  http.get('*/api/v2/user/tickets-v2/unread', () => success({ unread: 0 })),
  http.get('*/api/v2/staff/views', () =>
    success({ views: [], layout: { columns: [], is_dense: false } }),
  ),
)
