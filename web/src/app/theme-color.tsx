import { useComputedColorScheme } from '@mantine/core'

/** The colour of a phone's browser bar follows the scheme. */
export function ThemeColor() {
  const scheme = useComputedColorScheme('light')
  document
    .querySelector('meta[name=theme-color]')
    ?.setAttribute('content', scheme === 'dark' ? '#12171b' : '#f7f8fa')
  return null
}
