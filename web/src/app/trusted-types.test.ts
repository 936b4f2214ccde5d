import { expect, it } from 'vitest'
import { rules } from './trusted-types'

it('lets style sheets and empty texts through, and no element', () => {
  for (const html of [
    '',
    '*, *::before {transition: none !important;}',
    '.a > .b { color: red }',
  ]) {
    expect(rules.createHTML(html)).toBe(html)
  }
  for (const html of ['<img src=x onerror=alert(1)>', 'a<b', '</style><script>', '<svg']) {
    expect(() => rules.createHTML(html)).toThrow(TypeError)
    expect(() => rules.createHTML(html, 'TrustedHTML', 'Element innerHTML')).toThrow(TypeError)
  }
})

it('lets a text be read into a document that nobody sees', () => {
  const html = '<p>Hello</p>'
  expect(rules.createHTML(html, 'TrustedHTML', 'DOMParser parseFromString')).toBe(html)
})

it('lets scripts of this build through, and none of others', () => {
  expect(rules.createScriptURL('/assets/puzzle.worker-1.js')).toBe(
    `${location.origin}/assets/puzzle.worker-1.js`,
  )
  expect(rules.createScriptURL('/service-worker.js')).toBe(`${location.origin}/service-worker.js`)
  const others = [
    'https://example.com/service-worker.js',
    'https://example.com/assets/x.js',
    '//example.com/assets/x.js',
    '/assets/../link2/x',
    '/api/v2/x.js',
    'data:text/javascript,alert(1)',
    'blob:http://localhost/1',
    'javascript:alert(1)',
  ]
  for (const url of others) expect(() => rules.createScriptURL(url)).toThrow(TypeError)
})
