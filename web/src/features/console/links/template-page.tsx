import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { LinkTemplate } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { DetailHeader } from '../parts/detail-header'
import { templatesQuery } from './resource'
import { TemplateEditor } from './template-editor'
import { useScopeName } from './templates-page'

const route = getRouteApi('/admin/link-templates/$scope/$id')

/** One template: its document, what it makes of the built-in one, and what clients get. */
export function TemplatePage() {
  const { t } = useTranslation('console/link')
  const params = route.useParams()
  const of = { scope: params.scope as LinkTemplate['scope'], scope_id: Number(params.id) }
  const query = useQuery(templatesQuery())
  const nameOf = useScopeName()
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('templates.title'), link: { to: '/admin/link-templates' } }}
        title={nameOf(of)}
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {({ builtin, templates }) => (
          <TemplateEditor
            key={`${of.scope}/${of.scope_id}`}
            of={of}
            builtin={builtin}
            published={templates.find(
              ({ scope, scope_id: id }) => scope === of.scope && id === of.scope_id,
            )}
          />
        )}
      </Loaded>
    </div>
  )
}
