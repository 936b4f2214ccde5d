/** The pages about one order, recharge, refund, payout or case, and the ledger, apart from the lists. */
export { CasePage } from './case-page'
export { InvoicesPage } from './invoices-page'
export { LedgerPage } from './ledger-page'
export { OrderPage } from './order-page'
export { RechargePage } from './recharge-page'
export { PayoutPage } from './payout-page'
export { RefundRequestPage } from './refund-page'
