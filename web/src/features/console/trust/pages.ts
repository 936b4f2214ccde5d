export { AuditEntryPage } from './audit-entry-page'
export { AuditLogPage } from './audit-log-page'
