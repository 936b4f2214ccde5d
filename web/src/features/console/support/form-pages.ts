/** The pages with forms, apart from the lists, which load no form. */
export { GuidePage, NewGuidePage } from './guide-page'
