/** What an address looks like at least; whether it is one, the mail tells. */
export const emailPattern = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/
