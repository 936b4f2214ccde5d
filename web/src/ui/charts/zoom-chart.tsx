import { DataZoomComponent } from 'echarts/components'
import { use as register } from 'echarts/core'

register([DataZoomComponent])

/** An AreaChart that can have a slider. */
export { AreaChart as ZoomChart } from './area-chart'
