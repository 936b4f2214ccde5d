import { useTranslation } from 'react-i18next'
import type { MailTemplateItem } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { mailTemplates } from './resources'

/** The kinds of mails in both languages. */
export function MailTemplatesPage() {
  const { t } = useTranslation('console/mail')
  return (
    <ListPage
      title={t('templates.title')}
      about={t('templates.about')}
      resource={mailTemplates}
      columns={useColumns()}
      link={({ kind, lang }) => ({
        to: '/admin/mail-templates/$kind',
        params: { kind },
        search: { text: lang } as never,
      })}
      nameOf={({ name }) => name}
      empty={t('templates.empty')}
    />
  )
}

function useColumns(): Column<MailTemplateItem>[] {
  const { t } = useTranslation('console/mail')
  return [
    { key: 'name', title: t('templates.name'), place: 'title', cell: ({ name }) => name },
    {
      key: 'lang',
      title: t('templates.lang'),
      width: '7rem',
      place: 'fact',
      cell: ({ lang }) => t(`language.${lang}`),
    },
    {
      key: 'reader',
      title: t('templates.reader'),
      width: '7rem',
      cell: ({ to_staff: toStaff }) => t(toStaff ? 'templates.staff' : 'templates.users'),
    },
    { key: 'subject', title: t('templates.subject'), cell: ({ subject }) => subject },
    {
      key: 'state',
      title: t('templates.state'),
      width: '8rem',
      place: 'state',
      cell: ({ is_changed: isChanged }) => (
        <StatusDot tone={isChanged ? 'info' : 'neutral'}>
          {t(isChanged ? 'templates.changed' : 'templates.builtin')}
        </StatusDot>
      ),
    },
    {
      key: 'by',
      title: t('templates.by'),
      width: '12rem',
      place: 'fact',
      cell: (one) => (one.is_changed ? one.changed_by || t('templates.operator') : '—'),
    },
    {
      key: 'at',
      title: t('templates.at'),
      width: '9rem',
      cell: ({ changed_at: time }) => (time ? <Moment time={time} /> : '—'),
    },
  ]
}
