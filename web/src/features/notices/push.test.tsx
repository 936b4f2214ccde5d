import { screen } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PushBody, PushDevice, PushResult } from '@/lib/api/gen/types.gen'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const api = '*/api/v2/user/account/push'
const page = '/user/account/notices'

const laptop: PushDevice = {
  device_id: 7,
  browser: 'Firefox 144',
  system: 'Linux',
  device_kind: 'computer',
  is_current: false,
  is_remembered: true,
  created_at: '2026-11-20T08:00:00Z',
  notified_at: null,
}
const own: PushDevice = { ...laptop, device_id: 8, browser: 'Chrome 150', is_current: true }

const told = { endpoint: 'https://push.example.com/x', p256dh: 'key', auth: 'secret' }

let devices: PushDevice[]
let permission: NotificationPermission
let subscribed: boolean
const asked = vi.fn()
const register = vi.fn()
const kept = new Map<string, unknown>()

const result = (): PushResult => ({ public_key: 'AQID_-8', max_devices: 10, devices })

const subscription = {
  toJSON: () => ({ endpoint: told.endpoint, keys: { p256dh: told.p256dh, auth: told.auth } }),
  unsubscribe: async () => {
    subscribed = false
    return true
  },
}
const pushManager = {
  getSubscription: async () => (subscribed ? subscription : null),
  subscribe: vi.fn(async () => {
    subscribed = true
    return subscription
  }),
}

beforeEach(() => {
  devices = [laptop]
  permission = 'default'
  subscribed = false
  server.use(
    http.get('*/api/v2/user/notices', () =>
      success({ email: 'ming@example.com', telegram: 'off', events: [] }),
    ),
    http.get(api, () => success(result())),
  )
  vi.stubGlobal('PushManager', vi.fn())
  vi.stubGlobal('Notification', {
    get permission() {
      return permission
    },
    requestPermission: async () => {
      asked()
      return permission
    },
  })
  kept.clear()
  vi.stubGlobal('caches', {
    open: async () => ({
      put: async (name: string, what: Response) => kept.set(name, await what.json()),
    }),
    delete: async () => kept.clear(),
  })
  const registration = { pushManager }
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: {
      register,
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    },
  })
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

it('asks for permission only after a press, then subscribes this device', async () => {
  const sent: PushBody[] = []
  server.use(
    http.post<never, PushBody>(api, async ({ request }) => {
      sent.push(await request.json())
      devices = [own, laptop]
      return success(result())
    }),
  )
  const { user } = await openSignedIn(page)
  const turnOn = await screen.findByRole('button', { name: 'Turn on for this device' })
  expect(asked).not.toHaveBeenCalled()
  expect(register).not.toHaveBeenCalled()
  permission = 'granted'
  await user.click(turnOn)
  expect(await screen.findByText('On for this device')).toBeVisible()
  expect(register).toHaveBeenCalledWith('/service-worker.js')
  expect(pushManager.subscribe).toHaveBeenCalledWith({
    userVisibleOnly: true,
    applicationServerKey: Uint8Array.from([1, 2, 3, 255, 239]),
  })
  expect(sent).toEqual([told])
  const { endpoint, auth } = told
  expect([...kept]).toEqual([['/push-subscription', { endpoint, auth, key: 'AQID_-8' }]])
})

it('lists the devices, and removes one', async () => {
  const removed: unknown[] = []
  server.use(
    http.delete(`${api}/:device`, ({ params }) => {
      removed.push(params['device'])
      devices = []
      return success(result())
    }),
  )
  const { user } = await openSignedIn(page)
  await user.click(await screen.findByRole('button', { name: 'Remove Firefox 144 · Linux' }))
  expect(await screen.findByText('Off for this device')).toBeVisible()
  expect(screen.queryByText(/Firefox 144/)).toBeNull()
  expect(removed).toEqual(['7'])
})

it('turns this device off in the browser as well', async () => {
  permission = 'granted'
  subscribed = true
  devices = [{ ...own, is_remembered: false }]
  server.use(
    http.delete(`${api}/8`, () => {
      devices = []
      return success(result())
    }),
  )
  const { user } = await openSignedIn(page)
  expect(await screen.findByText('On for this device')).toBeVisible()
  expect(screen.getByText(/without “Remember me”/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Remove Chrome 150 · Linux' }))
  expect(await screen.findByText('Off for this device')).toBeVisible()
  expect(subscribed).toBe(false)
})

it('is off where the server knows nothing of what the browser subscribed', async () => {
  permission = 'granted'
  subscribed = true
  await openSignedIn(page)
  expect(await screen.findByRole('button', { name: 'Turn on for this device' })).toBeVisible()
})

it('says what to do where the browser blocks notices', async () => {
  permission = 'denied'
  await openSignedIn(page)
  expect(await screen.findByText(/browser blocks notices/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Turn on for this device' })).toBeNull()
})

it('says what the browser lacks', async () => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  await openSignedIn(page)
  expect(await screen.findByText(/This browser has no push notices/)).toBeVisible()
})

it('says how to install the site on an iPhone', async () => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; like Mac OS X)')
  await openSignedIn(page)
  expect(await screen.findByText(/Add to Home Screen/)).toBeVisible()
  vi.restoreAllMocks()
})

it('says that the push service cannot be reached', async () => {
  const { user } = await openSignedIn(page)
  const turnOn = await screen.findByRole('button', { name: 'Turn on for this device' })
  permission = 'granted'
  pushManager.subscribe.mockRejectedValueOnce(new DOMException('push service error', 'AbortError'))
  await user.click(turnOn)
  expect(await screen.findByText(/cannot reach its push service/)).toBeVisible()
})
