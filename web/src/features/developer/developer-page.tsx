import { Card, Skeleton, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { PageHeader } from '@/ui/page-header'
import { Tokens } from './components/tokens'
import classes from './developer-page.module.css'

const Samples = lazyPart(() => import('./components/samples'), 'Samples')
const Reference = lazyPart(() => import('./components/reference'), 'Reference')

const route = getRouteApi('/user/developer')

/** The developer page: API tokens, sample code, and the API reference. */
export function DeveloperPage() {
  const { t } = useTranslation('developer')
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) =>
          void navigate({
            search: (search) => ({ ...search, tab: (value ?? 'tokens') as typeof tab }),
            replace: true,
            resetScroll: false,
          })
        }
      >
        <Tabs.List mb="lg" className={classes.tabs}>
          <Tabs.Tab value="tokens">{t('tab.tokens')}</Tabs.Tab>
          <Tabs.Tab value="samples">{t('tab.samples')}</Tabs.Tab>
          <Tabs.Tab value="reference">{t('tab.reference')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
        <Suspense
          fallback={
            <Card>
              <Skeleton height={320} />
            </Card>
          }
        >
          <Tabs.Panel value="samples">
            <Samples />
          </Tabs.Panel>
          <Tabs.Panel value="reference">
            <Reference />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </>
  )
}
