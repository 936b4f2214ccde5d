// Shows notices that the server pushes to this browser (internal/webpush), and opens the pages that they lead to. It
// answers no requests, so pages load as if it were not there. Where the browser's push service replaces a subscription it
// names the new one to the server.

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', (event) => {
  const { title, body, path, tag } = read(event.data)
  const options = {
    body,
    tag,
    renotify: tag !== undefined,
    data: path,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
  }
  event.waitUntil(self.registration.showNotification(title, options))
})

/** A browser insists on a notification for every message, also for one that cannot be read. */
function read(data) {
  try {
    const { title, body, path, tag } = data.json()
    return { title: String(title), body: String(body), path: String(path), tag: String(tag) }
  } catch {
    return { title: self.location.host, body: '', path: '/', tag: undefined }
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(new URL(event.notification.data, self.location.origin)))
})

/** Pages that are open stay as they are: there may be something unsaved in them. */
async function show(url) {
  if (url.origin !== self.location.origin) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = pages.find((page) => new URL(page.url).pathname === url.pathname)
  await (open ? open.focus() : self.clients.openWindow(url.href))
}

// No session is at hand here: the secret of the former subscription shows that it is the same browser. Some browsers do not
// say which one it was, so the page that subscribed left it in the cache (features/notices/push.ts).
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

async function renew({ oldSubscription, newSubscription }) {
  const cache = await self.caches.open('push')
  const left = await (await cache.match('/push-subscription'))?.json()
  const former = oldSubscription?.toJSON()
  const endpoint = former?.endpoint ?? left?.endpoint
  const auth = former?.keys?.auth ?? left?.auth
  const key = oldSubscription?.options.applicationServerKey ?? left?.key
  if (!endpoint || !auth || !key) return
  const made =
    newSubscription ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key,
    }))
  const { endpoint: now, keys } = made.toJSON()
  const answer = await fetch('/api/v2/auth/push/renew', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      old_endpoint: endpoint,
      old_auth: auth,
      endpoint: now,
      p256dh: keys.p256dh,
      auth: keys.auth,
    }),
  })
  if (!answer.ok) return
  await cache.put(
    '/push-subscription',
    Response.json({ endpoint: now, auth: keys.auth, key: left?.key }),
  )
}
