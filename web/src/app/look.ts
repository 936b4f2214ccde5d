import type { CSSVariablesResolver } from '@mantine/core'
import { cssVariables } from './css-variables'
import { theme } from './theme'

/** The colours of all pages. */
export type Look = { theme: typeof theme; variables: CSSVariablesResolver }

export const builtin: Look = { theme, variables: cssVariables }

/** The look of a site. What makes shades comes only where the operator chose a colour. */
export async function lookOf(accent: string | undefined): Promise<Look> {
  if (!accent) return builtin
  try {
    return (await import('./accented')).lookIn(accent, builtin)
  } catch {
    return builtin // a page without the colour rather than none
  }
}
