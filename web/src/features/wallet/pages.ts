/** The pages of this feature, loaded as one chunk. */
export { BillingPage } from './billing-page'
export { CdKeyPage } from './cd-key-page'
export { InvoicePage } from './invoice-page'
export { PurchaseRecordsPage } from './purchase-records-page'
export { RechargePage } from './recharge-page'
export { RechargesPage } from './recharges-page'
export { WalletPage } from './wallet-page'
