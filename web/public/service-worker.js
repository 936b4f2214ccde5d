// Shows notices that the server pushes to this browser (internal/webpush), and opens the pages that they lead to. It
// answers no requests and caches nothing, so pages load as if it were not there.

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
