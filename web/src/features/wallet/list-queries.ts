import {
  cdKeyListOptions,
  invoicesListOptions,
  rechargeListOptions,
  walletMovementsOptions,
  walletPurchaseRecordsOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { MovementItem } from '@/lib/api/gen/types.gen'

// Route loaders prefetch these queries while the pages' code loads; the pages use the same ones.

export const PAGE_SIZE = 15

// A page reuses what its route has just fetched. Anything older is refetched, since payments change it.
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

/** The answer has no total: one item more than a page shows reveals whether there is a next page. */
export const purchasesOf = (page: number) =>
  walletPurchaseRecordsOptions({ query: { ...part(page), limit: PAGE_SIZE + 1 } })

export const redemptionsOf = (page: number) => cdKeyListOptions({ query: part(page) })
