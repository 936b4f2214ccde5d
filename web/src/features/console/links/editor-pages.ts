/** The editor of templates, which the lists do not load. */
export { TemplatePage } from './template-page'
