export { InvitesPage } from './invites-page'
