import { expect, it } from 'vitest'
import { strengthOf } from './strength'

it.each([
  ['', 0],
  ['short1!', 1],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 1],
  ['abcdefghijklmnop', 1],
  ['12345678', 1],
  ['kv83nd0x', 1],
  ['Kv83nd0xq', 2],
  ['correct horse battery', 3],
  ['7f!Qz#pL2w@x9T', 4],
])('%s', (password, strength) => expect(strengthOf(password)).toBe(strength))
