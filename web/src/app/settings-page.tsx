import { Card, Radio, Stack, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { FormColumn } from '@/ui/form-column'
import { PageHeader } from '@/ui/page-header'
import { type Language, languages, switchLanguage } from './i18n'
import { type Scheme, schemes } from './layouts/preference-buttons'

/** What is kept in this browser and not in the account: language and appearance. */
export function SettingsPage() {
  const { t, i18n } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <PageHeader title={t('settings.title')} about={t('settings.about')} />
      <FormColumn>
        <Stack gap="lg">
          <Card>
            <Radio.Group
              label={t('account.language')}
              value={i18n.language}
              onChange={(language) => void switchLanguage(language as Language)}
            >
              <Stack gap="sm" mt="xs">
                {Object.entries(languages).map(([language, label]) => (
                  <Radio key={language} value={language} label={label} lang={language} />
                ))}
              </Stack>
            </Radio.Group>
          </Card>
          <Card>
            <Radio.Group
              label={t('account.scheme')}
              value={colorScheme}
              onChange={(scheme) => setColorScheme(scheme)}
            >
              <Stack gap="sm" mt="xs">
                {(Object.keys(schemes) as Scheme[]).map((scheme) => (
                  <Radio key={scheme} value={scheme} label={t(`scheme.${scheme}`)} />
                ))}
              </Stack>
            </Radio.Group>
          </Card>
        </Stack>
      </FormColumn>
    </>
  )
}
