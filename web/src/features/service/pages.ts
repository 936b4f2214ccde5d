/** The pages of this feature, loaded as one chunk. */
export { RenewalsPage } from './renewals-page'
export { ServicesOldPage } from './services-old-page'
export { ServicesPage } from './services-page'
