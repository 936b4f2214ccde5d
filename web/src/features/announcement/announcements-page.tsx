import { Badge, Card, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Megaphone } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useMarkAnnouncements } from '@/lib/api/announcements'
import type { AnnouncementItem, AnnouncementsListResponse } from '@/lib/api/gen/types.gen'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Markdown } from '@/ui/markdown'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import classes from './announcements-page.module.css'
import { allAnnouncements } from './queries'

/** Everything that the operator announces to the user; what is shown here counts as read. */
export function AnnouncementsPage() {
  const { t } = useTranslation('announcement')
  const announcements = useQuery(allAnnouncements())
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Loaded query={announcements} skeleton={<Skeleton height={180} radius="lg" />} hasCards>
        {(found) => <List found={found} />}
      </Loaded>
    </>
  )
}

function List({ found: { announcements } }: { found: AnnouncementsListResponse }) {
  const { t } = useTranslation('announcement')
  const markRead = useMarkAnnouncements()
  const marked = useRef(new Set<number>())
  useEffect(() => {
    const unread = announcements.filter(({ id, is_read }) => !is_read && !marked.current.has(id))
    for (const { id } of unread) marked.current.add(id)
    markRead(unread.map(({ id }) => id))
  })
  if (announcements.length === 0) {
    return (
      <Card>
        <Empty icon={Megaphone} text={t('empty')} />
      </Card>
    )
  }
  return (
    <div className={classes.list}>
      {announcements.map((one) => (
        <Announcement key={one.id} one={one} />
      ))}
    </div>
  )
}

function Announcement({ one }: { one: AnnouncementItem }) {
  const { t } = useTranslation('announcement')
  const id = `announcement-${one.id}`
  return (
    <Card component="article" id={id} aria-labelledby={`${id}-title`} className={classes.card}>
      <header className={classes.head}>
        <Title order={2} size="h3" id={`${id}-title`}>
          {one.title || t('untitled')}
        </Title>
        <Text size="sm" c="dimmed" className={classes.marks}>
          {!one.is_read && <Badge>{t('new')}</Badge>}
          {one.is_pinned && <Badge variant="default">{t('pinned')}</Badge>}
          {one.ann_type === 'maintenance' && <Badge variant="default">{t('maintenance')}</Badge>}
          <Moment time={one.created_at} withYear />
        </Text>
      </header>
      {one.markdown_text !== '' && <Markdown text={one.markdown_text} level={3} />}
    </Card>
  )
}
