import { expect, it } from 'vitest'
import { grouped, lengthOf } from './cd-key'

const key = '7K2MQ-9TRXA-0BC4D-EFGH5'

it.each([
  [key],
  ['7k2mq9trxa0bc4defgh5'],
  [' 7K2MQ 9TRXA 0BC4D EFGH5 \n'],
  ['7k2mq – 9trxa – 0bc4d – efgh5'],
  ['７Ｋ２ＭＱ－９ＴＲＸＡ－０ＢＣ４Ｄ－ＥＦＧＨ５'],
  [`Your key: ${key}. Enjoy!`],
])('reads a key in "%s"', (typed) => {
  expect(grouped(typed)).toBe(key)
  expect(lengthOf(typed)).toBe(20)
})

it('groups what is not a whole key yet', () => {
  expect(grouped('7k2mq9t')).toBe('7K2MQ-9T')
  expect(lengthOf('7k2mq-9t')).toBe(7)
  expect(grouped('')).toBe('')
})
