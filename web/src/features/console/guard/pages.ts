export { BlockedPage } from './blocked-page'
export { BansPage } from './bans-page'
export { HitsPage } from './hits-page'
export { RulesPage } from './rules-page'
