export { ReconciliationPage } from './reconciliation-page'
export { SettlementsPage } from './settlements-page'
export { StatementPage } from './statement-page'
export { StatementImportPage } from './statement-import-page'
