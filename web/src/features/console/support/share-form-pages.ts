/** The pages with the form of share accounts, apart from that of guides, whose preview they do not need. */
export { NewShareAccountPage, ShareAccountPage } from './share-account-page'
