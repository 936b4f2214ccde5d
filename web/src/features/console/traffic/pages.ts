export { AnomaliesPage } from './anomalies-page'
export { TrafficPage } from './traffic-page'
