export { MailPage } from './mail-page'
export { MailsPage } from './mails-page'
export { MailTemplatesPage } from './templates-page'
