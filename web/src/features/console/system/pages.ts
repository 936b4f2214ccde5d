export { JobsPage, QueuePage } from './jobs-page'
export { SystemPage } from './system-page'
