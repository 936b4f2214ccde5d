/** The pages with forms, apart from the lists, which load no form. */
export { AnnouncementPage, NewAnnouncementPage } from './announcement-page'
