import {
  cdKeyListOptions,
  invoicesListOptions,
  rechargeListOptions,
  walletMovementsOptions,
  walletPurchaseRecordsOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { MovementItem } from '@/lib/api/gen/types.gen'

// Asked for by routes beside the pages' code, and by the pages.

export const PAGE_SIZE = 15

// What a route asked for a moment ago; older ones are asked for again, since payments change meanwhile.
const JUST_ASKED_MS = 2_000

const part = (page: number) => ({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })

export const movementsOf = (page: number, reason: MovementItem['reason'] | undefined) =>
  walletMovementsOptions({ query: { page, size: PAGE_SIZE, reason } })

export const invoicesOf = (page: number, month: string | undefined) =>
  invoicesListOptions({ query: { month, ...part(page) } })

export const rechargesOf = (page: number) => ({
  ...rechargeListOptions({ query: part(page) }),
  staleTime: JUST_ASKED_MS,
})

/** The answer has no total: one more than a page shows tells whether there is another. */
export const purchasesOf = (page: number) =>
  walletPurchaseRecordsOptions({ query: { ...part(page), limit: PAGE_SIZE + 1 } })

export const redemptionsOf = (page: number) => cdKeyListOptions({ query: part(page) })
