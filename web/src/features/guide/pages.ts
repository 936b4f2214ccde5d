export { GuidePage } from './guide-page'
export { GuidesPage } from './guides-page'
