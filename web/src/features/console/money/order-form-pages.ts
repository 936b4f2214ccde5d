/** The page that makes an order, apart from the lists, which load no form. */
export { NewOrderPage } from './new-order-page'
