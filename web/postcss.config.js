import { breakpoints, MOBILE_BREAKPOINT } from './src/lib/constants.ts'

// CSS modules need the theme's widths (src/app/theme.ts) by name.
const em = (px) => `${px / 16}em`

export default {
  plugins: {
    'postcss-preset-mantine': {},
    'postcss-simple-vars': {
      variables: {
        'mantine-breakpoint-xs': em(breakpoints.xs),
        'mantine-breakpoint-sm': em(breakpoints.sm),
        'mantine-breakpoint-md': em(breakpoints.md),
        'mantine-breakpoint-lg': em(breakpoints.lg),
        'mantine-breakpoint-xl': em(breakpoints.xl),
        'mobile-breakpoint': em(breakpoints[MOBILE_BREAKPOINT]),
      },
    },
  },
}
