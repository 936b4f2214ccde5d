import i18next from 'i18next'
import { expect, it, vi } from 'vitest'
import { startI18n, switchLanguage } from './i18n'

it('shows the language that another tab of the browser switches to', async () => {
  document.documentElement.lang = 'en'
  await startI18n()
  const change = (key: string, newValue: string | null) =>
    window.dispatchEvent(new StorageEvent('storage', { key, newValue }))

  change('language', 'zh-CN')
  await vi.waitFor(() => expect(document.documentElement.lang).toBe('zh-CN'))
  expect(i18next.t('nav.buy')).toBe('购买')

  change('language', 'tlh')
  change('language', null)
  change('other', 'en')
  await new Promise((done) => setTimeout(done))
  expect(i18next.language).toBe('zh-CN')

  await switchLanguage('en')
  expect(i18next.t('nav.buy')).toBe('Buy')
  expect(localStorage.getItem('language')).toBe('en')
})
