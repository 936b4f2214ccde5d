export { MailPage } from './mail-page'
export { MailsPage } from './mails-page'
export { MailTemplatePage } from './template-page'
export { MailTemplatesPage } from './templates-page'
