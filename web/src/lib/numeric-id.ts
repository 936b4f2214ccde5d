// Every number of so many digits is exact, so that no call asks for another one than the address has.
const digits = /^\d{1,15}$/

export const hasNumericId = ({ id }: { id: string }) => digits.test(id)

/**
 * The `params` of a route whose `id` is a number. An address with another `id` is none of the route's: its page is not
 * found, and nothing is asked for it.
 */
export const numericIdParams = {
  parse: (params: { id: string }) => hasNumericId(params) && params,
}
