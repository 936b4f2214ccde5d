import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  staffMail,
  staffMails,
  staffMailTemplate,
  staffMailTemplatePreview,
  staffMailTemplates,
} from '@/lib/api/gen/staff/sdk.gen'
import type { MailItem, MailTemplateItem, MailTemplateText } from '@/lib/api/gen/staff/types.gen'
import { byOffset, PART_SIZE, type Resource } from '../parts/resource'

type MailState = MailItem['state']
export type MailLanguage = MailItem['lang']

export const mailLanguages: readonly MailLanguage[] = ['zh-CN', 'en']

export const mails: Resource<MailItem> = {
  name: 'mails',
  keys: ['state', 'q'],
  load: async ({ filters, cursor, signal }) => {
    const { data } = await staffMails({
      query: {
        ...(filters.state && { state: filters.state as MailState }),
        ...(filters.q && { recipient: filters.q }),
        page: Number(cursor ?? 0) / PART_SIZE + 1,
        size: PART_SIZE,
      },
      signal,
      throwOnError: true,
    })
    return byOffset(data.mails, cursor, data.total_count)
  },
  rowKey: ({ mail_id: id }) => id,
}

/** A mail with its text; with its code only where that is asked for, which the audit log notes. */
export const mailOf = (id: string, withCode: boolean) =>
  queryOptions({
    queryKey: ['console', 'mails', 'one', id, withCode],
    queryFn: async ({ signal }) =>
      (
        await staffMail({
          path: { mail_id: Number(id) },
          query: withCode ? { with_code: true } : {},
          signal,
          throwOnError: true,
        })
      ).data,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })

export const mailTemplates: Resource<MailTemplateItem> = {
  name: 'mail-templates',
  load: async ({ signal }) => ({
    rows: (await staffMailTemplates({ signal, throwOnError: true })).data,
  }),
  rowKey: ({ kind, lang }) => `${kind}:${lang}`,
}

export const mailTemplateOf = (kind: string, lang: MailLanguage) =>
  queryOptions({
    queryKey: ['console', 'mail-templates', 'one', kind, lang],
    queryFn: async ({ signal }) =>
      (await staffMailTemplate({ path: { kind, lang }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })

/** The example mail of a text that is not saved. */
export const mailPreviewOf = (kind: string, lang: MailLanguage, body: MailTemplateText) =>
  queryOptions({
    queryKey: ['console', 'mail-templates', 'preview', kind, lang, body],
    queryFn: async ({ signal }) =>
      (await staffMailTemplatePreview({ path: { kind, lang }, body, signal, throwOnError: true }))
        .data,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  })
