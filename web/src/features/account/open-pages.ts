/** The pages for whoever is not signed in, in a chunk of their own. */
export { ForgotPasswordPage } from './forgot-password-page'
export { SignInPage } from './sign-in-page'
export { SignOutPage } from './sign-out-page'
export { SignUpPage } from './sign-up-page'
