export { CannedAnswersPage } from './canned-answers-page'
export { CommissionsPage } from './commissions-page'
export { GuidesPage } from './guides-page'
export { ShareAccountsPage } from './share-accounts-page'
