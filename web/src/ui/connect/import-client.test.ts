import { afterEach, describe, expect, it, vi } from 'vitest'
import { client } from '@/test/fixtures'
import { clientsFor, detectPlatform, importUrl, openClient } from './import-client'

const link = 'https://fast.example.com/link2/abc?x=1'

describe('a deep link', () => {
  it.each([
    [
      'clash://install-config?url={url}&name={name}',
      'clash://install-config?url=https%3A%2F%2Ffast.example.com%2Flink2%2Fabc%3Fx%3D1&name=%E7%BD%91',
    ],
    [
      'sing-box://import-remote-profile?url={url}#{name}',
      'sing-box://import-remote-profile?url=https%3A%2F%2Ffast.example.com%2Flink2%2Fabc%3Fx%3D1#%E7%BD%91',
    ],
    ['hiddify://import/{url_raw}#{name}', `hiddify://import/${link}#%E7%BD%91`],
    [
      'shadowrocket://add/sub://{url_base64}?remark={name}',
      `shadowrocket://add/sub://${btoa(link)}?remark=%E7%BD%91`,
    ],
    ['happ://add/{unknown}', 'happ://add/{unknown}'],
  ])('fills %s', (template, filled) => {
    expect(importUrl(template, link, '网')).toBe(filled)
  })

  it('takes a link that is not ASCII', () => {
    expect(importUrl('{url_base64}', 'https://网.example', '')).toBe('aHR0cHM6Ly/nvZEuZXhhbXBsZQ==')
  })
})

describe('the system', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 0, 'windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, 'macos'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, 'ios'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 5, 'ios'],
    ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 5, 'android'],
    ['Mozilla/5.0 (Phone; OpenHarmony 5.0)', 5, 'harmonyos'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 0, 'linux'],
  ])('of %s', (userAgent, touchPoints, platform) => {
    expect(detectPlatform(userAgent, touchPoints)).toBe(platform)
  })
})

describe('the clients offered', () => {
  const verge = client()
  const hiddify = client({ id: 'hiddify', platforms: ['ios', 'windows'] })
  const stash = client({ id: 'stash', platforms: ['ios'] })
  const all = [verge, hiddify, stash]

  it('are those for the system, in the server’s order', () => {
    expect(clientsFor(all, 'windows', null)).toEqual([verge, hiddify])
  })

  it('begin with the one used last, if it runs here', () => {
    expect(clientsFor(all, 'windows', 'hiddify')).toEqual([hiddify, verge])
    expect(clientsFor(all, 'windows', 'stash')).toEqual([verge, hiddify])
  })
})

describe('opening a client', () => {
  afterEach(() => vi.useRealTimers())

  it('has worked when the page loses the focus', async () => {
    const opened = openClient('#client')
    window.dispatchEvent(new Event('blur'))
    expect(await opened).toBe(true)
  })

  it('has not when nothing happens for 1.5 s', async () => {
    vi.useFakeTimers()
    const opened = openClient('#client')
    await vi.advanceTimersByTimeAsync(1500)
    expect(await opened).toBe(false)
  })
})
