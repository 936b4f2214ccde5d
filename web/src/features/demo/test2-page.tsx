import { Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

const surfaces = ['surface', 'surface-quiet', 'accent-soft'] as const
const tones = ['error', 'success', 'warning', 'info'] as const

/** Surfaces, type and the colours of meanings. */
export function Test2Page() {
  const { t } = useTranslation('demo')
  return (
    <TestPage name="test2">
      <Part title={t('surfaces')}>
        <div className={classes.grid}>
          {surfaces.map((surface) => (
            <div key={surface} className={classes.swatch} data-surface={surface}>
              {`--${surface}`}
            </div>
          ))}
          {tones.map((tone) => (
            <div key={tone} className={classes.swatch} data-tone={tone}>
              {t(`tone.${tone}`)}
            </div>
          ))}
        </div>
      </Part>
      <Part title={t('headings')}>
        {([3, 4, 5] as const).map((order) => (
          <Title key={order} order={3} size={`h${order - 2}`}>
            {t('headings')}
          </Title>
        ))}
        <Text>{t('body')}</Text>
        <Text c="dimmed">{t('dimmed')}</Text>
        <Text size="xl">{t('figure')}</Text>
      </Part>
    </TestPage>
  )
}
