export { MailTemplatePage } from './template-page'
