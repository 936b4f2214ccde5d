/** The pages about one order or recharge, apart from the lists. */
export { OrderPage } from './order-page'
export { RechargePage } from './recharge-page'
