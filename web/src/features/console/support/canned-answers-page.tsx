import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffCannedAnswerAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import {
  staffCannedAnswerAdd,
  staffCannedAnswerChange,
  staffCannedAnswerRemove,
} from '@/lib/api/gen/staff/sdk.gen'
import type { CannedAnswerItem } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import type { Action, Values } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import type { Field } from '../parts/field'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { cannedAnswers } from './resource'

const variables = ['name', 'email', 'site_name', 'ticket_no', 'title']
  .map((name) => `{{${name}}}`)
  .join(', ')

/** Answers that staff chooses in a ticket instead of writing them again. */
export function CannedAnswersPage() {
  const { t } = useTranslation('console/support')
  return (
    <ListPage
      title={t('canned.title')}
      about={t('canned.about')}
      resource={cannedAnswers}
      columns={useColumns()}
      actions={[useChange(), useRemoval()]}
      nameOf={({ name }) => name}
      empty={t('canned.empty')}
      action={<ActionButton subject={undefined} action={useAddition()} isPrimary />}
    />
  )
}

function useColumns(): Column<CannedAnswerItem>[] {
  const { t } = useTranslation('console/support')
  const begin = (text: string) => text.split('\n')[0] || '—'
  return [
    {
      key: 'name',
      title: t('column.name'),
      width: '14rem',
      place: 'title',
      cell: ({ name }) => name,
    },
    {
      key: 'zh',
      title: t('canned.content_zh'),
      place: 'fact',
      cell: ({ content_zh: text }) => begin(text),
    },
    {
      key: 'en',
      title: t('canned.content_en'),
      place: 'fact',
      cell: ({ content_en: text }) => begin(text),
    },
    {
      key: 'updated',
      title: t('column.updated'),
      width: '12rem',
      cell: ({ updated_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

const bodyOf = (values: Values) => ({
  name: String(values.name),
  content_zh: String(values.content_zh),
  content_en: String(values.content_en),
})

function useFields() {
  const { t } = useTranslation('console/support')
  return (one?: CannedAnswerItem): Field[] => [
    {
      name: 'name',
      label: t('column.name'),
      kind: 'text',
      isRequired: true,
      initial: one?.name ?? '',
      rules: rules.name,
    },
    {
      name: 'content_zh',
      label: t('canned.content_zh'),
      kind: 'markdown',
      initial: one?.content_zh ?? '',
      rules: rules.content_zh,
    },
    {
      name: 'content_en',
      label: t('canned.content_en'),
      kind: 'markdown',
      initial: one?.content_en ?? '',
      rules: rules.content_en,
    },
  ]
}

function useAddition(): Action<undefined> {
  const { t } = useTranslation('console/support')
  const fields = useFields()
  return {
    key: 'add',
    icon: Plus,
    title: t('canned.new'),
    permission: 'ticket.canned_answer.write',
    danger: 'C',
    fields: () => fields(),
    effect: () => t('canned.effect', { variables }),
    run: (_, values) => staffCannedAnswerAdd({ body: bodyOf(values), throwOnError: true }),
    done: () => t('canned.added'),
  }
}

function useChange(): Action<CannedAnswerItem> {
  const { t } = useTranslation('console/support')
  const fields = useFields()
  return {
    key: 'change',
    icon: Pencil,
    title: t('change'),
    permission: 'ticket.canned_answer.write',
    danger: 'C',
    fields: (one) => fields(one),
    effect: () => t('canned.effect', { variables }),
    run: (one, values) =>
      staffCannedAnswerChange({
        path: { answer_id: one.id },
        headers: { 'If-Match': `"${one.version}"` },
        body: bodyOf(values),
        throwOnError: true,
      }),
    done: ({ name }) => t('saved', { name }),
  }
}

function useRemoval(): Action<CannedAnswerItem> {
  const { t } = useTranslation('console/support')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission: 'ticket.canned_answer.write',
    danger: 'C',
    effect: ({ name }) => t('canned.removeEffect', { name }),
    run: ({ id }) => staffCannedAnswerRemove({ path: { answer_id: id }, throwOnError: true }),
    done: ({ name }) => t('removed', { name }),
  }
}
