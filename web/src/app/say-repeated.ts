import i18next from 'i18next'
import { toast } from '@/ui/toast'
import { loadTexts } from './i18n'

/** Says that what was asked for had been done by an earlier try, whose answer did not arrive. */
export async function sayRepeated(): Promise<void> {
  await loadTexts('repeat')
  await toast('info', i18next.t('arrived', { ns: 'repeat' }), 12_000)
}
