import { SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type MailLanguage, mailLanguages } from './resources'

export function LanguageChoice(props: {
  value: MailLanguage
  onChange: (to: MailLanguage) => void
}) {
  const { t } = useTranslation('console/mail')
  return (
    <SegmentedControl
      size="sm"
      aria-label={t('templates.lang')}
      value={props.value}
      onChange={props.onChange}
      data={mailLanguages.map((value) => ({ value, label: t(`language.${value}`) }))}
    />
  )
}
