export { ClientsPage } from './clients-page'
export { FetchesPage } from './fetches-page'
export { SpreadsPage } from './spreads-page'
export { TemplatesPage } from './templates-page'
