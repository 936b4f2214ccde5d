import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffAnnouncementRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { AnnouncementState, useAnnouncementName } from './announcement-state'
import { announcements } from './resource'

/** News of the site, shown ones and those to come. */
export function AnnouncementsPage() {
  const { t } = useTranslation('console/content')
  const may = useMay()
  return (
    <ListPage
      title={t('announcements.title')}
      about={t('announcements.about')}
      resource={announcements}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/announcements/$id', params: { id: String(id) } })}
      actions={[useRemoval()]}
      nameOf={useAnnouncementName()}
      empty={t('announcements.empty')}
      action={
        may('announcement.write') && (
          <ButtonLink to="/admin/announcements/new" leftSection={<Plus size={16} aria-hidden />}>
            {t('announcements.new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<StaffAnnouncement>[] {
  const { t } = useTranslation('console/content')
  return [
    { key: 'title', title: t('column.title'), place: 'title', cell: useAnnouncementName() },
    {
      key: 'type',
      title: t('column.type'),
      width: '10rem',
      place: 'fact',
      cell: ({ ann_type: type }) => t(`type.${type}`),
    },
    {
      key: 'audience',
      title: t('column.audience'),
      width: '8rem',
      cell: ({ audience }) => t(`audience.${audience}`),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '8rem',
      place: 'state',
      cell: (one) => <AnnouncementState announcement={one} />,
    },
    {
      key: 'starts',
      title: t('column.starts'),
      width: '12rem',
      place: 'fact',
      cell: ({ starts_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'readers',
      title: t('column.readers'),
      width: '6rem',
      align: 'end',
      cell: ({ readers }) => readers,
    },
  ]
}

function useRemoval(): Action<StaffAnnouncement> {
  const { t } = useTranslation('console/content')
  const nameOf = useAnnouncementName()
  return {
    key: 'remove',
    icon: Trash2,
    title: t('announcements.remove'),
    permission: 'announcement.write',
    danger: 'C',
    effect: (one) => t('announcements.removeEffect', { name: nameOf(one) }),
    run: ({ id }) => staffAnnouncementRemove({ path: { announcement_id: id }, throwOnError: true }),
    done: (one) => t('announcements.removed', { name: nameOf(one) }),
  }
}
