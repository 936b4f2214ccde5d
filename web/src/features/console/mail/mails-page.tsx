import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffMailRetry } from '@/lib/api/gen/staff/sdk.gen'
import type { MailItem } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { mails } from './resources'
import { useKind } from './use-kind'

export const mailTones = {
  queued: 'info',
  sent: 'success',
  failed: 'error',
  kept: 'warning',
} as const

const states = ['queued', 'sent', 'failed', 'kept'] as const

/** The mails of the last 30 days. */
export function MailsPage() {
  const { t } = useTranslation('console/mail')
  return (
    <ListPage
      title={t('mails.title')}
      about={t('mails.about')}
      resource={mails}
      columns={useColumns()}
      filters={[
        {
          key: 'state',
          title: t('state'),
          kind: 'choice',
          isSingle: true,
          options: states.map((value) => ({ value, label: t(`mails.${value}`) })),
        },
      ]}
      search={{ key: 'q', label: t('mails.search') }}
      link={({ mail_id: id }) => ({ to: '/admin/mails/$id', params: { id: String(id) } })}
      actions={[useMailRetry()]}
      nameOf={({ recipient }) => recipient}
      empty={t('mails.empty')}
    />
  )
}

function useColumns(): Column<MailItem>[] {
  const { t } = useTranslation('console/mail')
  const kindName = useKind()
  return [
    {
      key: 'recipient',
      title: t('mails.recipient'),
      width: '15rem',
      place: 'title',
      cell: ({ recipient }) => recipient,
    },
    {
      key: 'kind',
      title: t('mails.kind'),
      place: 'fact',
      cell: ({ kind }) => kindName(kind),
    },
    {
      key: 'state',
      title: t('state'),
      place: 'state',
      width: '7rem',
      cell: ({ state }) => <StatusDot tone={mailTones[state]}>{t(`mails.${state}`)}</StatusDot>,
    },
    { key: 'tries', title: t('tries'), width: '4rem', align: 'end', cell: ({ tries }) => tries },
    {
      key: 'created',
      title: t('mails.created'),
      place: 'fact',
      width: '11.5rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'error',
      title: t('mails.error'),
      width: '8rem',
      cell: ({ last_error: error }) => error || '—',
    },
  ]
}

export function useMailRetry(): Action<MailItem> {
  const { t } = useTranslation('console/mail')
  return {
    key: 'retry',
    icon: RotateCw,
    title: t('mails.retry'),
    permission: 'mail.retry',
    danger: 'C',
    isShown: ({ state }) => state === 'failed' || state === 'kept',
    effect: ({ recipient }) => t('mails.retryEffect', { recipient }),
    run: ({ mail_id: id }) => staffMailRetry({ path: { mail_id: id }, throwOnError: true }),
    done: () => t('mails.retryDone'),
  }
}
