import { lazyPart } from '@/lib/lazy-part'

const load = () => import('./figures-part')

export const DayBars = lazyPart(async () => ({ DayBars: (await load()).DayBars }), 'DayBars')
export const Figures = lazyPart(async () => ({ Figures: (await load()).Figures }), 'Figures')
export const PeriodControl = lazyPart(
  async () => ({ PeriodControl: (await load()).PeriodControl }),
  'PeriodControl',
)
