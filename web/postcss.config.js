// The five widths are the theme's (src/app/theme.ts); CSS modules need them by name.
export default {
  plugins: {
    'postcss-preset-mantine': {},
    'postcss-simple-vars': {
      variables: {
        'mantine-breakpoint-xs': '37.5em',
        'mantine-breakpoint-sm': '60em',
        'mantine-breakpoint-md': '80em',
        'mantine-breakpoint-lg': '120em',
        'mantine-breakpoint-xl': '160em',
      },
    },
  },
}
