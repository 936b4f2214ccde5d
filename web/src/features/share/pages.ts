/** The pages of this feature, in one chunk. */
export { ShareAccountsPage } from './share-accounts-page'
