import { sendProving } from '@/lib/api/prove'

/**
 * For calls that load what the pages at an address show, and before which the server asks who the member is. A link that is
 * pointed at loads its page ahead: that fails without asking, and opening the page loads it again.
 */
export const asksAt = (address: string) => ({
  fetch: (input: RequestInfo | URL) =>
    sendProving(input as Request, () => location.pathname.startsWith(address)),
})
