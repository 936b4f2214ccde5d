/** The page about one user, apart from the lists. */
export { UserPage } from './user-page'
