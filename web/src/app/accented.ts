import type { MantineColorsTuple } from '@mantine/core'
import { inHueOf } from '@/lib/accent'
import type { Look } from './look'

/** The CSS variables that have the accent colour. */
const accented = ['--mantine-color-anchor', '--accent-text', '--accent-soft']

/** `look` in the operator's colour: each shade as easy to read as the one that it replaces. */
export function lookIn(accent: string, { theme, variables }: Look): Look {
  const shades = theme.colors?.tide?.map((shade) => inHueOf(accent, shade ?? ''))
  const tide = shades as unknown as MantineColorsTuple
  const inHue = (all: Record<string, string>) => ({
    ...all,
    ...Object.fromEntries(accented.map((name) => [name, inHueOf(accent, all[name] ?? '')])),
  })
  return {
    theme: { ...theme, colors: { ...theme.colors, tide } },
    variables: (merged) => {
      const { light, dark, ...rest } = variables(merged)
      return { ...rest, light: inHue(light), dark: inHue(dark) }
    },
  }
}
