export { JobsPage, QueuePage } from './jobs-page'
export { MailsPage } from './mails-page'
export { SystemPage } from './system-page'
