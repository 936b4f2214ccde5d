export { TicketPage } from './ticket-page'
export { TicketsPage } from './tickets-page'
