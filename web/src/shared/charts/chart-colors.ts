/** A canvas knows no CSS variables: the values of theme.ts that charts need. Series keep their order everywhere. */
export function chartColors(scheme: 'light' | 'dark') {
  return scheme === 'dark'
    ? {
        series: ['#4ba6ba', '#f2ad5c', '#b18be0'],
        surface: '#222930',
        line: '#2a3239',
        text: '#e4e8ec',
        dimmed: '#9ba5b0',
      }
    : {
        series: ['#146f87', '#dc8a2e', '#7a4fb8'],
        surface: '#ffffff',
        line: '#e4e8ed',
        text: '#1b2129',
        dimmed: '#5a6572',
      }
}
