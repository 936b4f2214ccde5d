import { Card, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { staffAnnouncementAdd, staffAnnouncementChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { Markdown } from '@/ui/markdown'
import { PageHeader } from '@/ui/page-header'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { AnnouncementState, useAnnouncementName } from './announcement-state'
import { Broadcasts } from './broadcasts'
import { blank, bodyOf, changeOf, useAnnouncementSections, valuesOf } from './form'
import { announcementOf } from './resource'

const route = getRouteApi('/admin/announcements/$id')
const list = { to: '/admin/announcements' } as const

/** One announcement: its text, when and to whom it is shown. */
export function AnnouncementPage() {
  const { t } = useTranslation('console/content')
  const nameOf = useAnnouncementName()
  const { id } = route.useParams()
  const query = useQuery(announcementOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? (
        <Header
          title={nameOf(query.data)}
          state={<AnnouncementState announcement={query.data} />}
          about={t('announcements.seenBy', { count: query.data.readers })}
        />
      ) : (
        <PageHeader title={t('announcements.one')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(announcement) => (
          <Stack gap="lg">
            <Broadcasts announcement={announcement} />
            <Announcement key={id} announcement={announcement} />
          </Stack>
        )}
      </Loaded>
    </div>
  )
}

function Header(props: { title: string; state?: ReactNode; about?: string }) {
  const { t } = useTranslation('console/content')
  return <DetailHeader list={{ title: t('announcements.title'), link: list }} {...props} />
}

function Announcement({ announcement }: { announcement: StaffAnnouncement }) {
  const may = useMay()
  return may('announcement.write') ? (
    <Edit announcement={announcement} />
  ) : (
    <Preview values={valuesOf(announcement)} />
  )
}

function Edit({ announcement }: { announcement: StaffAnnouncement }) {
  const { t } = useTranslation('console/content')
  const nameOf = useAnnouncementName()
  const sections = useAnnouncementSections({ isNew: false })
  const leave = useLeave()
  const { edited, reload } = useEdited(
    announcement,
    announcementOf(String(announcement.id)),
    valuesOf,
  )
  const save = (values: FormValues, changed: readonly string[]) =>
    staffAnnouncementChange({
      path: { announcement_id: edited.id },
      headers: { 'If-Match': `"${edited.version}"` },
      query: { again: values.again === true },
      body: changeOf(values, changed),
      throwOnError: true,
    })
  return (
    <ResourceForm
      draftKey={`announcement:${edited.id}`}
      initial={valuesOf(edited)}
      sections={sections}
      submit={t('announcements.save')}
      save={save}
      reload={reload}
      onSaved={() => leave(list, t('announcements.saved', { name: nameOf(edited) }))}
      aside={preview}
    />
  )
}

/** A new announcement. */
export function NewAnnouncementPage() {
  const { t } = useTranslation('console/content')
  const sections = useAnnouncementSections({ isNew: true })
  const leave = useLeave()
  return (
    <div data-wide>
      <Header title={t('announcements.new')} />
      <ResourceForm
        draftKey="announcement:new"
        initial={blank}
        isNew
        sections={sections}
        submit={t('announcements.publish')}
        save={(values) => staffAnnouncementAdd({ body: bodyOf(values), throwOnError: true })}
        onSaved={() => leave(list, t('announcements.published'))}
        aside={preview}
      />
    </div>
  )
}

const preview = (values: FormValues) => <Preview values={values} />

/** The text as readers see it for whom there is none in their own language. */
function Preview({ values }: { values: FormValues }) {
  const { t } = useTranslation('console/content')
  const first = (...names: string[]) => names.map((name) => values[name]).find(Boolean) ?? ''
  const title = String(first('title', 'title_zh', 'title_en'))
  const body = String(first('body', 'body_zh', 'body_en'))
  return (
    <Card component="section" aria-label={t('preview')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('preview')}
      </Text>
      {title && (
        <Title order={2} size="h3" mb="xs">
          {title}
        </Title>
      )}
      {body ? <Markdown text={body} level={3} /> : !title && <Text>—</Text>}
    </Card>
  )
}
