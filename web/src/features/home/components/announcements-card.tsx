import { Card, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import { newestAnnouncements } from '../queries'
import classes from './announcements-card.module.css'
import side from './side-card.module.css'

/** The newest of what the operator announces; nothing where that is nothing. */
export function AnnouncementsCard() {
  const { t } = useTranslation('home')
  const { data } = useQuery(newestAnnouncements())
  if (!data || data.announcements.length === 0) return null
  return (
    <Card component="section" aria-labelledby="announcements-title" className={side.card}>
      <header className={side.head}>
        <Title order={2} size="h3" id="announcements-title">
          {t('announcements.title')}
        </Title>
        <Text size="sm">
          <TextLink to="/user/announcements/announcements" underline="hover">
            {t('announcements.all')}
          </TextLink>
        </Text>
      </header>
      <ul className={classes.list}>
        {data.announcements.map(({ id, title, is_read, created_at }) => (
          <li key={id}>
            <TextLink
              to="/user/announcements/announcements"
              hash={`announcement-${id}`}
              underline="hover"
              className={classes.title}
              data-unread={!is_read || undefined}
            >
              {title || t('announcements.untitled')}
            </TextLink>
            <Text size="sm" c="dimmed" className={classes.date}>
              <Moment time={created_at} />
            </Text>
          </li>
        ))}
      </ul>
    </Card>
  )
}
