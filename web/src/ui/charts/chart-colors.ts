/** A canvas knows no CSS variables: the values of theme.ts that charts need. Series keep their order everywhere. */
export function chartColors(scheme: 'light' | 'dark') {
  return scheme === 'dark'
    ? {
        series: ['#4ba6ba', '#d9a6e0', '#e0c05c'],
        surface: '#222930',
        line: '#2a3239',
        text: '#e4e8ec',
        dimmed: '#9ba5b0',
      }
    : {
        series: ['#146f87', '#b36ac2', '#a3821a'],
        surface: '#ffffff',
        line: '#e4e8ed',
        text: '#1b2129',
        dimmed: '#5a6572',
      }
}
