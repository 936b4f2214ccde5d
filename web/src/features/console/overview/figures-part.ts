/** What the overview and the page of traffic share: a chunk of its own, since what both loaded at first would be every page's. */
export { DayBars } from './day-bars'
export { Figures } from './figures'
export { PeriodControl } from './period-control'
