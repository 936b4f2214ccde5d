export { CouponsPage } from './coupons-page'
export { KeyBatchesPage } from './key-batches-page'
export { KeyBatchPage } from './key-batch-page'
export { PlansPage } from './plans-page'
