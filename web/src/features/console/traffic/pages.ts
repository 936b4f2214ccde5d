export { TrafficPage } from './traffic-page'
