/** The pages of this feature, in one chunk. */
export { ChartPage } from './chart-page'
export { DetailPage } from './detail-page'
