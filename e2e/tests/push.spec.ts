import { chromium, type CDPSession, type Worker } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import { wholeBrowser } from '../harness/browsers.ts'
import { expect, test as base } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const test = base.extend({
  context: async ({ baseURL, locale }, use) => {
    const browser = await chromium.launch({ executablePath: wholeBrowser })
    await use(await browser.newContext({ baseURL, locale }))
    await browser.close()
  },
})

/** Replaces the way to the browser's push service, which cannot be reached from here. */
function subscribeWithoutService() {
  let made: object | null = null
  const text = (bytes: ArrayBuffer | Uint8Array) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  const subscribe = async (options: PushSubscriptionOptionsInit) => {
    if (!options.userVisibleOnly || (options.applicationServerKey as Uint8Array).length !== 65) throw new TypeError('not the key of a site')
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
    const keys = { p256dh: text(await crypto.subtle.exportKey('raw', publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) }
    const endpoint = `https://push.example.com/${crypto.randomUUID()}`
    made = {
      toJSON: () => ({ endpoint, keys }),
      unsubscribe: async () => {
        made = null
        return true
      },
    }
    return made
  }
  Object.assign(PushManager.prototype, { subscribe, getSubscription: async () => made })
}

/** Delivers a message to the service worker as the browser does once it has decrypted one. */
async function deliver(cdp: CDPSession, origin: string, registrationId: string, data: string): Promise<void> {
  await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
}

/** Has the worker hear that the push service ended the subscription; gives how the server answered what it then called. */
function renewed(worker: Worker): Promise<number[]> {
  return worker.evaluate(async () => {
    const scope = globalThis as unknown as { registration: { pushManager: object }; fetch: typeof fetch } & EventTarget
    const text = (bytes: ArrayBuffer | Uint8Array) =>
      btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
    const keys = { p256dh: text(await crypto.subtle.exportKey('raw', publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) }
    const endpoint = `https://push.example.com/${crypto.randomUUID()}`
    Object.assign(scope.registration.pushManager, { subscribe: async () => ({ toJSON: () => ({ endpoint, keys }) }) })
    const [answers, ask] = [[] as number[], scope.fetch]
    scope.fetch = async (...request) => {
      const answer = await ask(...request)
      answers.push(answer.status)
      return answer
    }
    const event = Object.assign(new Event('pushsubscriptionchange'), { done: undefined as Promise<unknown> | undefined, waitUntil: (work: Promise<unknown>) => { event.done = work } })
    scope.dispatchEvent(event)
    await event.done
    scope.fetch = ask
    return answers
  })
}

test('a device is notified after a press, and no more once it is removed', async ({ page, context, service }) => {
  const origin = service.server.url
  await context.grantPermissions(['notifications'])
  await context.addInitScript(subscribeWithoutService)
  const user = await ApiUser.signUp(origin)
  await signIn(page, user.credentials)
  await page.goto('/user/account/notices')
  await expect(page.getByText('Off for this device')).toBeVisible()
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  await page.getByRole('button', { name: 'Turn on for this device' }).click()
  await expect(page.getByText('On for this device')).toBeVisible()
  await expect(page.getByText(/Linux \(this device\)/)).toBeVisible()

  const cdp = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  const id = await registered
  // A message that comes before the worker is active is lost.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await deliver(cdp, origin, id, JSON.stringify({ title: 'Answered', body: 'Your ticket', path: '/user/tickets', tag: 'x' }))
  await deliver(cdp, origin, id, 'not what the server sends')
  const shown = () => page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    return (await registration!.getNotifications()).map(({ title, body, data }) => `${title} | ${body} | ${data}`).toSorted()
  })
  await expect.poll(shown).toEqual([`${new URL(origin).host} |  | /`, 'Answered | Your ticket | /user/tickets'].toSorted())

  expect(await renewed(context.serviceWorkers()[0]!)).toEqual([200])
  expect(await renewed(context.serviceWorkers()[0]!), 'and from the new one on').toEqual([200])
  await page.reload()
  await expect(page.getByText(/Linux \(this device\)/)).toBeVisible()

  await page.getByRole('button', { name: /^Remove Chrome/ }).click()
  await expect(page.getByText('Off for this device')).toBeVisible()
})

test('the site can be installed', async ({ page, context }) => {
  await page.goto('/auth/sign-in')
  const cdp = await context.newCDPSession(page)
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
  // The contexts of the tests are incognito windows, in which nothing is installed.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})
