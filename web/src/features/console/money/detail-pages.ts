/** The pages about one order or recharge and the ledger, apart from the lists. */
export { InvoicesPage } from './invoices-page'
export { LedgerPage } from './ledger-page'
export { OrderPage } from './order-page'
export { RechargePage } from './recharge-page'
