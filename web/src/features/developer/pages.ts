/** The pages of this feature, loaded as one chunk. */
export { DeveloperPage } from './developer-page'
