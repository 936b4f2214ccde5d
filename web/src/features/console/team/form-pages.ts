/** The pages with forms, apart from the lists, which load no form. */
export { NewRolePage, RolePage } from './role-page'
