/** A decimal amount of the API ("12.30") in minor units, for sums on the page; what is due is always the server's word. */
export const toMinor = (amount: string) => Math.round(Number(amount) * 100)

export const toAmount = (minor: number) => (minor / 100).toFixed(2)

function formatter(currency: string, language: string) {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
}

/** "¥1,234.50" */
export function formatMoney(amount: string, currency: string, language: string): string {
  return formatter(currency, language).format(Number(amount))
}

/** The same in its parts, so that the number can stand out from its currency. */
export function moneyParts(amount: string, currency: string, language: string) {
  return formatter(currency, language)
    .formatToParts(Number(amount))
    .map(({ type, value }) => ({ isSmall: type === 'currency' || type === 'literal', value }))
}
