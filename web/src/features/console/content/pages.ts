export { AnnouncementPage, NewAnnouncementPage } from './announcement-page'
export { AnnouncementsPage } from './announcements-page'
