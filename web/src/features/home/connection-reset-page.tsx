import { Card, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PageHeader } from '@/ui/page-header'
import { FetchLog } from './components/fetch-log'
import { LinkPanel } from './components/link-panel'
import { ResetChoice } from './components/reset-choice'

/** The link and who fetched it, and the two ways to make others' copies of it worthless. */
export function ConnectionResetPage() {
  const { t } = useTranslation('home')
  return (
    <>
      <PageHeader title={t('resetPage.title')} about={t('resetPage.about')} />
      <Stack gap="lg">
        <ResetChoice />
        <Card>
          <LinkPanel isQuiet />
        </Card>
        <FetchLog />
      </Stack>
    </>
  )
}
