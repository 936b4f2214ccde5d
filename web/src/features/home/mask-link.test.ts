import { expect, it } from 'vitest'
import { maskLink } from './mask-link'

it('hides the token of a link but for two characters', () => {
  expect(maskLink('https://fast.example.com/link2/q7Vt0bXn')).toBe(
    'https://fast.example.com/link2/q7••••••••••',
  )
})
