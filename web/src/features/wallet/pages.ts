/** The pages of this feature that show what there is, loaded as one chunk. */
export { BillingPage } from './billing-page'
export { InvoicePage } from './invoice-page'
export { PurchaseRecordsPage } from './purchase-records-page'
export { RechargesPage } from './recharges-page'
export { WalletPage } from './wallet-page'
