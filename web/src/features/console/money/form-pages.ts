/** The pages with forms, apart from the lists, which load no form. */
export { GatewayPage, NewGatewayPage } from './gateway-page'
