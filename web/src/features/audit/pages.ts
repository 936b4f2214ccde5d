/** The pages of this feature, in one chunk. */
export { LogPage } from './log-page'
export { RulesPage } from './rules-page'
