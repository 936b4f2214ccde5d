export { MediaAccountsPage } from './media-accounts-page'
