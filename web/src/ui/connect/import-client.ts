import type { LinkApp as Client } from '@/lib/api/gen/types.gen'

export const platforms = ['windows', 'macos', 'ios', 'android', 'linux', 'harmonyos'] as const
type Platform = (typeof platforms)[number]

/** The system this page runs on, from what the browser says of itself. */
export function detectPlatform(userAgent: string, touchPoints: number): Platform {
  if (/harmonyos|openharmony/i.test(userAgent)) return 'harmonyos'
  if (/android/i.test(userAgent)) return 'android'
  if (/iphone|ipad|ipod/i.test(userAgent)) return 'ios'
  // An iPad calls itself a Mac, but no Mac has a touch screen.
  if (/macintosh/i.test(userAgent)) return touchPoints > 1 ? 'ios' : 'macos'
  return /linux|x11|cros/i.test(userAgent) ? 'linux' : 'windows'
}

/** The clients for a system, in the operator's order; the one used last comes first. */
export function clientsFor(
  clients: readonly Client[],
  platform: Platform,
  lastUsed: string | null,
): Client[] {
  const fitting = clients.filter((client) => client.platforms.includes(platform))
  const last = fitting.find((client) => client.id === lastUsed)
  return last ? [last, ...fitting.filter((client) => client !== last)] : fitting
}

/** Some clients have no way to be handed a link: it is copied and pasted there. */
export const isPastedByHand = (client: Client) => client.import_url === ''

const LAST_USED = 'import_client'

export const lastUsedClient = () => localStorage.getItem(LAST_USED)
export const rememberClient = (id: string) => localStorage.setItem(LAST_USED, id)

const ANSWER_MS = 1500

/**
 * Opens a client by its own scheme. Resolves to false when nothing took the focus from the page within 1.5 s:
 * most likely the client is not installed.
 */
export function openClient(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isOpened: boolean) => {
      clearTimeout(timer)
      window.removeEventListener('blur', opened)
      document.removeEventListener('visibilitychange', opened)
      resolve(isOpened)
    }
    const opened = () => finish(true)
    const timer = setTimeout(() => finish(false), ANSWER_MS)
    window.addEventListener('blur', opened)
    document.addEventListener('visibilitychange', opened)
    location.assign(url)
  })
}

/** A client's deep link: the server's template with the link and the site's name put in. */
export function importUrl(template: string, link: string, name: string): string {
  const values: Record<string, string> = {
    url: encodeURIComponent(link),
    url_raw: link,
    url_base64: toBase64(link),
    name: encodeURIComponent(name),
  }
  return template.replaceAll(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder)
}

/** btoa knows Latin letters only. */
const toBase64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
