import { Card, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileQuestion } from 'lucide-react'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Markdown } from '@/ui/markdown'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import classes from './guide.module.css'
import { guideOf } from './queries'
import { systemName } from './systems'

const route = getRouteApi('/user/guides/$slug')

/** One help page, with the reader's own link in it. */
export function GuidePage(): ReactElement {
  const { t } = useTranslation('guide')
  const { slug } = route.useParams()
  const guide = useQuery(guideOf(slug))
  const isUnknown = guide.error instanceof ApiError && [404, 422].includes(guide.error.status)
  return (
    <>
      <PageHeader title={guide.data?.title ?? t('one')} />
      {isUnknown ? (
        <Card>
          <Empty
            icon={FileQuestion}
            text={t('unknown')}
            action={<ButtonLink to="/user/guides">{t('all')}</ButtonLink>}
          />
        </Card>
      ) : (
        <Loaded query={guide} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
          {(one) => (
            <Card component="article" className={classes.page}>
              <Text size="sm" c="dimmed" className={classes.marks}>
                <span>{one.category}</span>
                {one.systems.length > 0 && <span>{one.systems.map(systemName).join(' · ')}</span>}
                <span>
                  {t('updated')} <Moment time={one.updated_at} withYear />
                </span>
              </Text>
              <Markdown text={one.markdown_text} level={2} />
            </Card>
          )}
        </Loaded>
      )}
    </>
  )
}
