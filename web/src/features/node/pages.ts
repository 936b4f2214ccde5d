/** The pages of this feature, in one chunk. */
export { NodesPage } from './nodes-page'
