import { Eye, EyeOff, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffGuideChange, staffGuideRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffGuide } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { guideName, GuideState } from './guide-state'
import { guides } from './resource'

/** The help pages, in the order in which customers see them. */
export function GuidesPage() {
  const { t } = useTranslation('console/support')
  const may = useMay()
  return (
    <ListPage
      title={t('guides.title')}
      about={t('guides.about')}
      resource={guides}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/guides/$id', params: { id: String(id) } })}
      actions={[...usePublishing(), useRemoval()]}
      nameOf={guideName}
      empty={t('guides.empty')}
      action={
        may('guide.write') && (
          <ButtonLink to="/admin/guides/new" leftSection={<Plus size={16} aria-hidden />}>
            {t('guides.new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<StaffGuide>[] {
  const { t } = useTranslation('console/support')
  return [
    { key: 'title', title: t('column.title'), place: 'title', cell: guideName },
    {
      key: 'category',
      title: t('column.category'),
      width: '9rem',
      place: 'fact',
      cell: (one) => one.category || one.category_zh || one.category_en || '—',
    },
    {
      key: 'client',
      title: t('column.client'),
      width: '9rem',
      cell: ({ client_id: client }) => client || '—',
    },
    {
      key: 'languages',
      title: t('column.languages'),
      width: '7rem',
      cell: (one) =>
        [
          one.body && t('language.all'),
          one.body_zh && t('language.zh'),
          one.body_en && t('language.en'),
        ]
          .filter(Boolean)
          .join(', '),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '7rem',
      place: 'state',
      cell: (one) => <GuideState guide={one} />,
    },
    {
      key: 'updated',
      title: t('column.updated'),
      width: '8rem',
      place: 'fact',
      cell: ({ updated_at: time }) => <Moment time={time} />,
    },
  ]
}

/** Shows a guide to customers, or hides it; what was read when the menu opened may be taken back. */
function usePublishing(): Action<StaffGuide>[] {
  const { t } = useTranslation('console/support')
  const to = (isPublished: boolean): Action<StaffGuide> => ({
    key: isPublished ? 'publish' : 'hide',
    icon: isPublished ? Eye : EyeOff,
    title: t(isPublished ? 'guides.publish' : 'guides.hide'),
    permission: 'guide.write',
    danger: 'C',
    isShown: ({ is_published: isShown }) => isShown !== isPublished,
    effect: (one) =>
      t(isPublished ? 'guides.publishEffect' : 'guides.hideEffect', { name: guideName(one) }),
    run: (one) =>
      staffGuideChange({
        path: { guide_id: one.id },
        headers: { 'If-Match': `"${one.version}"` },
        body: { is_published: isPublished },
        throwOnError: true,
      }),
    done: (one) => t('guides.saved', { name: guideName(one) }),
  })
  return [to(true), to(false)]
}

function useRemoval(): Action<StaffGuide> {
  const { t } = useTranslation('console/support')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission: 'guide.write',
    danger: 'C',
    effect: (one) => t('guides.removeEffect', { name: guideName(one) }),
    run: ({ id }) => staffGuideRemove({ path: { guide_id: id }, throwOnError: true }),
    done: (one) => t('removed', { name: guideName(one) }),
  }
}
