/** The pages of this feature, loaded as one chunk. */
export { BuyPage } from './buy-page'
export { ShopOldPage } from './shop-old-page'
export { ShopPaymentPage } from './shop-payment-page'
