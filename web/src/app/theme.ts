import { createTheme, em, type MantineColorsTuple } from '@mantine/core'
import { breakpoints } from '@/lib/constants'
import { SteadyButton } from './steady-button'

const tide: MantineColorsTuple = [
  '#eaf5f8',
  '#d3e9ef',
  '#a6d4df',
  '#76bfcf',
  '#4ba6ba',
  '#2a8aa1',
  '#146f87',
  '#0d5c71',
  '#0b4c5e',
  '#083a48',
]

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eff2f5',
  '#e4e8ed',
  '#d3d9e0',
  '#b6bfc9',
  '#8b96a3',
  '#66717e',
  '#4c5662',
  '#333b45',
  '#1b2129',
]

const dark: MantineColorsTuple = [
  '#e4e8ec',
  '#c3cad1',
  '#9ba5b0',
  '#76818d',
  '#4a545f',
  '#303840',
  '#262d34',
  '#1b2127',
  '#12171b',
  '#0b0f12',
]

// Mantine's own shades of these fall short of 4.5:1 as text on our surfaces.
const red: MantineColorsTuple = [
  '#fdf1f1',
  '#fadfdf',
  '#f3bcbc',
  '#ff9c9c',
  '#e77070',
  '#d94c4c',
  '#c22f35',
  '#a8262c',
  '#8c1f25',
  '#6f181d',
]
const green: MantineColorsTuple = [
  '#ecf8f1',
  '#d5eede',
  '#a8dcbd',
  '#6fcb98',
  '#3fae74',
  '#22935b',
  '#147a48',
  '#0f673c',
  '#0b5431',
  '#084126',
]
const orange: MantineColorsTuple = [
  '#fdf4e9',
  '#fae4cb',
  '#f4c894',
  '#f2ad5c',
  '#dc8a2e',
  '#bf6f14',
  '#9c570a',
  '#834808',
  '#6b3b07',
  '#532e05',
]
const blue: MantineColorsTuple = [
  '#eef4fd',
  '#dbe7fa',
  '#b5cff4',
  '#8db8f2',
  '#5b93e3',
  '#3a78d2',
  '#255fb5',
  '#1e509a',
  '#19417e',
  '#133261',
]

export const theme = createTheme({
  colors: { tide, gray, dark, red, green, orange, blue },
  primaryColor: 'tide',
  primaryShade: { light: 6, dark: 6 },
  autoContrast: true,
  breakpoints: {
    xs: em(breakpoints.xs),
    sm: em(breakpoints.sm),
    md: em(breakpoints.md),
    lg: em(breakpoints.lg),
    xl: em(breakpoints.xl),
  },
  fontFamily:
    'system-ui, "Segoe UI", "PingFang SC", "Noto Sans SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.5', sm: '1.5', md: '1.55', lg: '1.55', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.35' },
      h2: { fontSize: '1.25rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.5' },
      h4: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name and without `Button.extend`: importing the components here would load them all on every page.
  components: {
    UnstyledButton: { defaultProps: { component: SteadyButton } },
    Button: { defaultProps: { size: 'md' } },
    Card: { defaultProps: { withBorder: true, radius: 'lg', padding: 'lg' } },
    Paper: { defaultProps: { radius: 'lg' } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    NumberInput: { defaultProps: { size: 'md' } },
    Select: { defaultProps: { size: 'md' } },
    NativeSelect: { defaultProps: { size: 'md' } },
    Modal: { defaultProps: { radius: 'lg', centered: true } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
})
