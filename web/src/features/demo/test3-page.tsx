import { Text } from '@mantine/core'
import { useViewportSize } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { breakpoints } from '@/lib/constants'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

/** The grid, and which of the five widths the window has. */
export function Test3Page() {
  const { t } = useTranslation('demo')
  const { width } = useViewportSize()
  const name = Object.entries(breakpoints).findLast(([, least]) => width >= least)?.[0] ?? '< xs'
  return (
    <TestPage name="test3">
      <Part title={t('title.test3')}>
        <Text>{t('width', { width, name })}</Text>
        <div className={classes.grid}>
          {Array.from({ length: 8 }, (_, index) => (
            <div key={index} className={classes.swatch} data-surface="surface-quiet">
              {t('cell', { number: index + 1 })}
            </div>
          ))}
        </div>
      </Part>
    </TestPage>
  )
}
