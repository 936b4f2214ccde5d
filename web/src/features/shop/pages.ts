/** The pages of this feature, loaded as one chunk. */
export { BuyPage } from './buy-page'
export { ShopOldPage } from './shop-old-page'
export { ShopPaymentPage } from './shop-payment-page'
// For the console's preview of a plan.
export { PackageCard } from '@/ui/plan-card/package-card'
export { PlanCard } from '@/ui/plan-card/plan-card'
