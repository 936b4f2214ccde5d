/** The pages of this feature, in one chunk. */
export { RenewalsPage } from './renewals-page'
export { ServicesOldPage } from './services-old-page'
export { ServicesPage } from './services-page'
