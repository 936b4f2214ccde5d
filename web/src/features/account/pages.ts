/** The pages of this feature, in one chunk. */
export { ActivityPage } from './activity-page'
export { CloseAccountPage } from './close-account-page'
export { EditEmailPage } from './edit-email-page'
export { EditPasswordPage } from './edit-password-page'
export { EditProfilePage } from './edit-profile-page'
export { LoginIpLogPage } from './login-ip-log-page'
export { MyAccountPage } from './my-account-page'
export { SecurityPage } from './security-page'
