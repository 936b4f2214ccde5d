/** The pages of this feature, in one chunk. */
export { DeveloperPage } from './developer-page'
