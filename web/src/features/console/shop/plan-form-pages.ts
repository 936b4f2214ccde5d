/** The pages with the form of a plan, apart from the lists and other forms. */
export { NewPlanPage } from './new-plan-page'
export { PlanPage } from './plan-page'
