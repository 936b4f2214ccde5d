/** The page that imports users, apart from the list, which loads nothing of it. */
export { UserImportPage } from './user-import-page'
