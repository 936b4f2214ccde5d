export { ServicesPage } from './services-page'
export { UserPage } from './user-page'
export { UsersPage } from './users-page'
