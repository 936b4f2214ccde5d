/** The pages with forms, apart from the lists, which load no form. */
export { CouponPage, NewCouponPage } from './coupon-page'
export { NewKeyBatchPage } from './new-key-batch-page'
