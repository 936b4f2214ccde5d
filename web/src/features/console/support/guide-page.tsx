import { Card, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffGuideAdd, staffGuideChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffGuide } from '@/lib/api/gen/staff/types.gen'
import { useSiteName } from '@/lib/site-name'
import { Loaded } from '@/ui/loaded'
import { Markdown } from '@/ui/markdown'
import { PageHeader } from '@/ui/page-header'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { blankGuide, filledIn, guideBody, guideValues, useGuideSections } from './guide-form'
import { guideName, GuideState } from './guide-state'
import { guideOf } from './resource'

const route = getRouteApi('/admin/guides/$id')
const list = { to: '/admin/guides' } as const

/** One help page. */
export function GuidePage() {
  const { t } = useTranslation('console/support')
  const { id } = route.useParams()
  const query = useQuery(guideOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? (
        <Header
          title={guideName(query.data)}
          state={<GuideState guide={query.data} />}
          about={`/user/guides/${query.data.slug}`}
        />
      ) : (
        <PageHeader title={t('guides.one')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(guide) => <Guide key={id} guide={guide} />}
      </Loaded>
    </div>
  )
}

function Header(props: { title: string; state?: ReactNode; about?: string }) {
  const { t } = useTranslation('console/support')
  return <DetailHeader list={{ title: t('guides.title'), link: list }} {...props} />
}

function Guide({ guide }: { guide: StaffGuide }) {
  const may = useMay()
  return may('guide.write') ? <Edit guide={guide} /> : <Preview values={guideValues(guide)} />
}

function Edit({ guide }: { guide: StaffGuide }) {
  const { t } = useTranslation('console/support')
  const sections = useGuideSections()
  const leave = useLeave()
  const { edited, reload } = useEdited(guide, guideOf(String(guide.id)), guideValues)
  const save = (values: FormValues, changed: readonly string[]) =>
    staffGuideChange({
      path: { guide_id: edited.id },
      headers: { 'If-Match': `"${edited.version}"` },
      body: guideBody(values, changed),
      throwOnError: true,
    })
  return (
    <ResourceForm
      draftKey={`guide:${edited.id}`}
      initial={guideValues(edited)}
      sections={sections}
      submit={t('save')}
      save={save}
      reload={reload}
      onSaved={() => leave(list, t('guides.saved', { name: guideName(edited) }))}
      aside={preview}
    />
  )
}

/** A new guide. */
export function NewGuidePage() {
  const { t } = useTranslation('console/support')
  const sections = useGuideSections()
  const leave = useLeave()
  return (
    <div data-wide>
      <Header title={t('guides.new')} />
      <ResourceForm
        draftKey="guide:new"
        initial={blankGuide}
        isNew
        sections={sections}
        submit={t('save')}
        save={(values) =>
          staffGuideAdd({ body: guideBody(values, Object.keys(values)), throwOnError: true })
        }
        onSaved={() => leave(list, t('guides.added'))}
        aside={preview}
      />
    </div>
  )
}

const preview = (values: FormValues) => <Preview values={values} />

/** The page as customers of either language see it, with the variables filled in. */
function Preview({ values }: { values: FormValues }) {
  const { t, i18n } = useTranslation('console/support')
  const siteName = useSiteName()
  const [language, setLanguage] = useState(i18n.language.startsWith('zh') ? 'zh' : 'en')
  const text = (name: string) => String(values[`${name}_${language}`] || values[name] || '')
  const body = filledIn(text('body'), siteName)
  return (
    <Card component="section" aria-label={t('preview')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('preview')}
      </Text>
      <SegmentedControl
        size="sm"
        mb="sm"
        aria-label={t('column.languages')}
        value={language}
        onChange={setLanguage}
        data={[
          { value: 'zh', label: t('language.zh') },
          { value: 'en', label: t('language.en') },
        ]}
      />
      {text('title') && (
        <Title order={2} size="h3" mb="xs">
          {text('title')}
        </Title>
      )}
      {text('category') && (
        <Text size="sm" c="dimmed" mb="xs">
          {text('category')}
        </Text>
      )}
      {body ? <Markdown text={body} level={3} /> : <Text>—</Text>}
    </Card>
  )
}
