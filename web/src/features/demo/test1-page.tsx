import { Badge, Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { paths } from '@/lib/constants'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { Part } from './components/part'
import { TestPage } from './components/test-page'

const tones = ['error', 'success', 'warning', 'info', 'neutral'] as const

/** Buttons, states, tags and links. */
export function Test1Page() {
  const { t } = useTranslation('demo')
  return (
    <TestPage name="test1">
      <Part title={t('kinds')}>
        <Group>
          <Button>{t('primary')}</Button>
          <Button variant="default">{t('secondary')}</Button>
          <Button variant="subtle">{t('quiet')}</Button>
          <Button color="red">{t('danger')}</Button>
          <Button disabled>{t('disabled')}</Button>
          <Button loading>{t('busy')}</Button>
        </Group>
      </Part>
      <Part title={t('sizes')}>
        <Group>
          <Button size="sm">{t('small')}</Button>
          <Button size="md">{t('medium')}</Button>
          <Button size="lg">{t('large')}</Button>
        </Group>
      </Part>
      <Part title={t('states')}>
        <Group gap="lg">
          {tones.map((tone) => (
            <StatusDot key={tone} tone={tone}>
              {t(`tone.${tone}`)}
            </StatusDot>
          ))}
          <Badge variant="light" tt="none">
            {t('badge')}
          </Badge>
          <TextLink to={paths.dashboard}>{t('link')}</TextLink>
        </Group>
      </Part>
    </TestPage>
  )
}
