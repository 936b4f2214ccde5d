import type { CSSVariablesResolver } from '@mantine/core'

/**
 * Surfaces, lines and text of both schemes. `--surface` is a card's, the body's colour is the page's;
 * `--text-*` colours reach 4.5:1 on both.
 */
export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light, dark })

const light = {
  '--mantine-color-body': '#f7f8fa',
  '--mantine-color-text': '#1b2129',
  '--mantine-color-dimmed': '#5a6572',
  '--mantine-color-placeholder': '#6b7682',
  '--mantine-color-error': '#b3282e',
  '--mantine-color-anchor': '#0d5c71',
  '--mantine-color-default-border': '#d3d9e0',
  '--surface': '#ffffff',
  '--surface-raised': '#ffffff',
  '--surface-quiet': '#eff2f5',
  '--line': '#e4e8ed',
  '--accent-text': '#0d5c71',
  '--accent-soft': '#eaf5f8',
  '--success-soft': '#ecf8f1',
  '--warning-soft': '#fdf4e9',
  '--error-soft': '#fdf1f1',
  '--info-soft': '#eef4fd',
  '--text-success': '#0f673c',
  '--text-warning': '#834808',
  '--text-error': '#a8262c',
  '--text-info': '#1e509a',
  '--dot-success': '#22935b',
  '--dot-warning': '#dc8a2e',
  '--dot-error': '#d94c4c',
  '--dot-info': '#3a78d2',
  '--dot-neutral': '#8b96a3',
}

const dark = {
  '--mantine-color-body': '#12171b',
  '--mantine-color-text': '#e4e8ec',
  '--mantine-color-dimmed': '#9ba5b0',
  '--mantine-color-placeholder': '#8a95a1',
  '--mantine-color-error': '#ff9c9c',
  '--mantine-color-anchor': '#76bfcf',
  '--mantine-color-default': '#1b2127',
  '--mantine-color-default-hover': '#262d34',
  '--mantine-color-default-border': '#3a434c',
  '--surface': '#1b2127',
  '--surface-raised': '#222930',
  '--surface-quiet': '#161c21',
  '--line': '#2a3239',
  '--accent-text': '#76bfcf',
  '--accent-soft': '#152f38',
  '--success-soft': '#14291e',
  '--warning-soft': '#2d2212',
  '--error-soft': '#331c1f',
  '--info-soft': '#182539',
  '--text-success': '#6fcb98',
  '--text-warning': '#f2ad5c',
  '--text-error': '#ff9c9c',
  '--text-info': '#8db8f2',
  '--dot-success': '#3fae74',
  '--dot-warning': '#dc8a2e',
  '--dot-error': '#e77070',
  '--dot-info': '#5b93e3',
  '--dot-neutral': '#76818d',
}
