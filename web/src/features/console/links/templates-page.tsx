import { Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffLinkTemplateRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { LinkTemplate } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { Maker } from '../parts/person'
import type { Column } from '../parts/resource'
import { templates } from './resource'

/** What a template is for, in words. */
export function useScopeName() {
  const { t } = useTranslation('console/link')
  return ({ scope, scope_id: id }: Pick<LinkTemplate, 'scope' | 'scope_id'>) =>
    t(`scope.${scope}`, { id })
}

/** The templates of the link's files: the site's, and those laid over it. */
export function TemplatesPage() {
  const { t } = useTranslation('console/link')
  const nameOf = useScopeName()
  const removal = useRemoval()
  return (
    <ListPage
      title={t('templates.title')}
      about={t('templates.about')}
      resource={templates}
      columns={useColumns()}
      link={({ scope, scope_id: id }) => ({
        to: '/admin/link-templates/$scope/$id',
        params: { scope, id: String(id) },
      })}
      actions={[removal]}
      nameOf={nameOf}
      empty={t('templates.empty')}
      action={
        <Group gap="xs">
          <ButtonLink
            variant="default"
            size="sm"
            to="/admin/link-templates/$scope/$id"
            params={{ scope: 'site', id: '0' }}
          >
            {t('scope.site')}
          </ButtonLink>
          <ActionButton subject={undefined} action={useAddition()} isPrimary />
        </Group>
      }
    />
  )
}

function useColumns(): Column<LinkTemplate>[] {
  const { t } = useTranslation('console/link')
  const nameOf = useScopeName()
  return [
    { key: 'scope', title: t('column.scope'), place: 'title', cell: nameOf },
    {
      key: 'keys',
      title: t('column.keys'),
      place: 'fact',
      cell: ({ document }) => Object.keys(document ?? {}).join(', ') || '—',
    },
    {
      key: 'at',
      title: t('column.changed'),
      place: 'fact',
      width: '12rem',
      cell: ({ updated_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'by',
      title: t('column.by'),
      width: '8rem',
      cell: ({ updated_by: id, updated_by_email: email }) => (
        <Maker id={id || null} email={email} />
      ),
    },
  ]
}

/** Leads to the editor of a template that is not there yet. */
function useAddition(): Action<undefined> {
  const { t } = useTranslation('console/link')
  const navigate = useNavigate()
  return {
    key: 'add',
    icon: Plus,
    title: t('templates.new'),
    permission: 'link.template.write',
    danger: 'C',
    fields: () => [
      {
        name: 'scope',
        label: t('column.scope'),
        kind: 'choice',
        initial: 'group',
        options: (['group', 'user'] as const).map((value) => ({
          value,
          label: t(`templates.of.${value}`),
        })),
      },
      {
        name: 'id',
        label: t('templates.number'),
        kind: 'number',
        isRequired: true,
        rules: { pattern: /^[1-9]\d*$/ },
      },
    ],
    effect: () => t('templates.newEffect'),
    run: (_, { scope, id }) =>
      navigate({
        to: '/admin/link-templates/$scope/$id',
        params: { scope: String(scope), id: String(id) },
      }),
    done: () => t('templates.begun'),
  }
}

function useRemoval(): Action<LinkTemplate> {
  const { t } = useTranslation('console/link')
  const nameOf = useScopeName()
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission: 'link.template.write',
    danger: 'C',
    effect: (template) => t('templates.removeEffect', { name: nameOf(template) }),
    run: ({ scope, scope_id: id }) =>
      staffLinkTemplateRemove({ path: { scope, scope_id: id }, throwOnError: true }),
    done: (template) => t('templates.removed', { name: nameOf(template) }),
  }
}
