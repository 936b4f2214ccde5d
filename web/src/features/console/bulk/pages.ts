export { BulkJobPage } from './bulk-job-page'
export { BulkJobsPage } from './bulk-jobs-page'
