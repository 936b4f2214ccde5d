import type { PushBody } from '@/lib/api/gen/types.gen'
import { session } from '@/lib/session/current-session'

/** Whether this browser can be notified: `install` where it can only as an installed app. */
export type PushState = 'unsupported' | 'install' | 'denied' | 'off' | 'on'

const worker = '/service-worker.js'

export async function readPushState(): Promise<PushState> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) {
    return isIOS() ? 'install' : 'unsupported'
  }
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && (await subscription()) ? 'on' : 'off'
}

/** iPads say that they are Macs, which have no touch screens. */
const isIOS = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(worker)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Asks for permission and subscribes this browser; null where the user does not permit it, or staff visits the user. */
export async function subscribe(publicKey: string): Promise<PushBody | null> {
  if (session.isVisit) return null
  if ((await Notification.requestPermission()) !== 'granted') return null
  await navigator.serviceWorker.register(worker)
  const { pushManager } = await navigator.serviceWorker.ready
  // One of another session or with another key does not go on.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytes(publicKey),
  })
  const { endpoint = '', keys } = made.toJSON()
  const auth = keys?.['auth'] ?? ''
  // For the service worker, should the push service replace the subscription.
  const cache = await caches.open('push')
  await cache.put('/push-subscription', Response.json({ endpoint, auth, key: publicKey }))
  return { endpoint, p256dh: keys?.['p256dh'] ?? '', auth }
}

export async function unsubscribe(): Promise<void> {
  await caches.delete('push')
  await (await subscription())?.unsubscribe()
}

const bytes = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )
