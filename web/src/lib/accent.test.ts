import { expect, it } from 'vitest'
import { lookIn } from '@/app/accented'
import { builtin, lookOf } from '@/app/look'
import { theme } from '@/app/theme'
import { contrastOf, inHueOf } from './accent'

const accents = [
  '#ffff00',
  '#00ff00',
  '#ff0000',
  '#0000ff',
  '#ff00ff',
  '#808080',
  '#ffffff',
  '#000000',
  '#c2410c',
]

it('knows the contrasts of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

it.each(accents)('makes shades of %s that are read as easily as ours on both schemes', (accent) => {
  const own = lookIn(accent, builtin).theme.colors?.tide ?? []
  const ours = theme.colors?.tide ?? []
  expect(own).toHaveLength(10)
  for (const [i, shade] of own.entries()) {
    for (const ground of ['#ffffff', '#f7f8fa', '#12171b', '#1b2127']) {
      const [is, was] = [contrastOf(shade ?? '', ground), contrastOf(ours[i] ?? '', ground)]
      expect(is / was, `${shade} on ${ground}`).toBeGreaterThan(0.97)
    }
  }
  // White on buttons, links on the light page, links on the dark one.
  expect(contrastOf(own[6] ?? '', '#ffffff')).toBeGreaterThan(4.5)
  expect(contrastOf(own[7] ?? '', '#f7f8fa')).toBeGreaterThan(4.5)
  expect(contrastOf(own[3] ?? '', '#222930')).toBeGreaterThan(4.5)
})

// The same pairs are in internal/setting/look_test.go: the server makes the same colour for mails.
it.each([
  ['#ff0000', '#cf0000'],
  ['#ffff00', '#6a6a00'],
  ['#00ff00', '#007700'],
  ['#0000ff', '#4848ff'],
  ['#c2410c', '#b63d0b'],
  ['#808080', '#666666'],
  ['#FFFFFF', '#666666'],
  ['#000000', '#666666'],
  ['#7c3aed', '#7b39ed'],
  ['#146f87', '#146f87'],
])('makes buttons of %s that are %s', (accent, button) => {
  expect(inHueOf(accent, '#146f87')).toBe(button)
})

it.each(accents)(
  'makes links of %s that are read on the page and on cards of both schemes',
  (accent) => {
    const { light, dark } = builtin.variables(theme as never)
    const { light: onLight, dark: onDark } = lookIn(accent, builtin).variables(theme as never)
    for (const [own, ours] of [
      [onLight, light],
      [onDark, dark],
    ] as const) {
      for (const ground of [
        ours['--mantine-color-body'],
        ours['--surface'],
        own['--accent-soft'] ?? '',
      ]) {
        expect(contrastOf(own['--mantine-color-anchor'] ?? '', ground ?? '')).toBeGreaterThan(4.5)
        expect(contrastOf(own['--accent-text'] ?? '', ground ?? '')).toBeGreaterThan(4.5)
      }
    }
  },
)

it('leaves our colours where the operator has none', async () => {
  expect((await lookOf('')).theme).toBe(theme)
  expect((await lookOf('#ff0000')).theme).not.toBe(theme)
})
