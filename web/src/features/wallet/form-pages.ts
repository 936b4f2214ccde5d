/** The pages of this feature by which money comes in, loaded as one chunk. */
export { CdKeyPage } from './cd-key-page'
export { RechargePage } from './recharge-page'
