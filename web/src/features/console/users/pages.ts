export { ServicesPage } from './services-page'
export { UsersPage } from './users-page'
