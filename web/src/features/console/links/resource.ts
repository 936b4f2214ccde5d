import { queryOptions } from '@tanstack/react-query'
import {
  staffAudit,
  staffClientsList,
  staffLinkFetches,
  staffLinkFetchesCount,
  staffLinkSpreads,
  staffLinkTemplateAffected,
  staffLinkTemplatePreview,
  staffLinkTemplatesList,
} from '@/lib/api/gen/staff/sdk.gen'
import type {
  LinkFetchRow,
  LinkTemplate,
  PreviewBody,
  StaffApp,
} from '@/lib/api/gen/staff/types.gen'
import { byKey, byPart, type Resource } from '../parts/resource'

export const fetches = byKey<LinkFetchRow>({
  name: 'link-fetches',
  keys: ['q', 'user', 'client', 'format', 'area', 'ip', 'status', 'fetched'],
  list: (options) => staffLinkFetches(options),
  count: (options) => staffLinkFetchesCount(options),
  csv: '/api/v2/staff/link-fetches/csv',
  rowKey: ({ id }) => id,
})

/** The links that many seem to share. */
export const spreads = byPart({
  name: 'link-spreads',
  keys: ['hours', 'least'],
  list: async (options) => {
    const { data } = await staffLinkSpreads(options)
    return { rows: data.links, total: data.total_count }
  },
  rowKey: ({ user }) => user.id,
})

/** The programs of the catalogue in their order. */
export const clients: Resource<StaffApp> = {
  name: 'clients',
  load: async ({ signal }) => ({
    rows: (await staffClientsList({ signal, throwOnError: true })).data,
  }),
  rowKey: ({ id }) => id,
}

const staleTime = 5_000

/** All templates, with the built-in one that they are laid over. */
export const templatesQuery = () =>
  queryOptions({
    queryKey: ['console', 'link-templates', 'all'],
    queryFn: async ({ signal }) =>
      (await staffLinkTemplatesList({ signal, throwOnError: true })).data,
    staleTime,
  })

export const templates: Resource<LinkTemplate> = {
  name: 'link-templates',
  load: async ({ signal }) => ({
    rows: (await staffLinkTemplatesList({ signal, throwOnError: true })).data.templates,
  }),
  rowKey: ({ scope, scope_id: id }) => `${scope}/${id}`,
}

type Of = Pick<LinkTemplate, 'scope' | 'scope_id'>

export const affectedBy = ({ scope, scope_id: id }: Of) =>
  queryOptions({
    queryKey: ['console', 'link-templates', 'affected', scope, id],
    queryFn: async ({ signal }) =>
      (
        await staffLinkTemplateAffected({
          path: { scope, scope_id: id },
          signal,
          throwOnError: true,
        })
      ).data.users,
    staleTime,
  })

/** The file that a client would get; its problem names what is wrong with the document. */
export const previewOf = (body: PreviewBody) =>
  queryOptions({
    queryKey: ['console', 'link-templates', 'preview', body],
    queryFn: async ({ signal }) =>
      (await staffLinkTemplatePreview({ body, signal, throwOnError: true })).data,
    staleTime,
    retry: false,
  })

const VERSIONS = 50

/** The template as it was published before, the newest first. */
export const versionsOf = ({ scope, scope_id: id }: Of) =>
  queryOptions({
    queryKey: ['console', 'link-templates', 'versions', scope, id],
    queryFn: async ({ signal }) =>
      (
        await staffAudit({
          query: { object: 'link_template', object_id: `${scope}/${id}`, limit: VERSIONS },
          signal,
          throwOnError: true,
        })
      ).data.rows,
    staleTime,
  })
