export { EditNodePage, NewNodePage } from './node-form-page'
