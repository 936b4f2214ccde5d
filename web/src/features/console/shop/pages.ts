export { NewPlanPage } from './new-plan-page'
export { PlanPage } from './plan-page'
export { PlansPage } from './plans-page'
