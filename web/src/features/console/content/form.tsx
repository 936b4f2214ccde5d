import { useTranslation } from 'react-i18next'
import { staffAnnouncementAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type {
  AnnouncementBody,
  AnnouncementChangeBody,
  StaffAnnouncement,
} from '@/lib/api/gen/staff/types.gen'
import type { Field } from '../parts/field'
import type { FormSection, FormValues } from '../parts/resource-form'

const types = ['index_ann', 'pop_up_ann', 'maintenance'] as const
const audiences = ['all', 'plan', 'class', 'group'] as const
const texts = ['title', 'title_zh', 'title_en', 'body', 'body_zh', 'body_en'] as const

const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length
const MINUTE_MS = 60_000

/** A time as an input of the browser has it: in its zone, to the minute. */
const inputOf = (time: string | null) => {
  if (!time) return ''
  const date = new Date(time)
  const shift = date.getTimezoneOffset() * MINUTE_MS
  return new Date(date.getTime() - shift).toISOString().slice(0, MINUTE_LENGTH)
}

type Value = FormValues[string] | undefined

const timeOf = (input: Value) => (input ? new Date(String(input)).toISOString() : undefined)

const numbersOf = (input: Value) =>
  String(input ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)

export const blank: FormValues = {
  ...Object.fromEntries(texts.map((name) => [name, ''])),
  ann_type: 'index_ann',
  is_pinned: false,
  audience: 'all',
  audience_ids: '',
  starts_at: '',
  ends_at: '',
}

export const valuesOf = (one: StaffAnnouncement): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, one[name]])),
  ann_type: one.ann_type,
  is_pinned: one.is_pinned,
  audience: one.audience,
  audience_ids: one.audience_ids.join('\n'),
  starts_at: inputOf(one.starts_at),
  ends_at: inputOf(one.ends_at),
  again: false,
})

/** All of a new announcement. */
export function bodyOf(values: FormValues): AnnouncementBody {
  const starts = timeOf(values.starts_at)
  const ends = timeOf(values.ends_at)
  return {
    ...Object.fromEntries(texts.map((name) => [name, values[name]])),
    ann_type: values.ann_type as AnnouncementBody['ann_type'],
    is_pinned: values.is_pinned === true,
    audience: values.audience as AnnouncementBody['audience'],
    audience_ids: values.audience === 'all' ? [] : numbersOf(values.audience_ids),
    ...(starts && { starts_at: starts }),
    ...(ends && { ends_at: ends }),
  }
}

/** What changed; an audience goes with its numbers, and an end that is emptied is taken away. */
export function changeOf(values: FormValues, changed: readonly string[]): AnnouncementChangeBody {
  const names = new Set(changed)
  if (names.has('audience') || names.has('audience_ids')) {
    names.add('audience')
    names.add('audience_ids')
  }
  const body = Object.entries(bodyOf(values)).filter(([name]) => names.has(name))
  return {
    ...Object.fromEntries(body),
    ...(names.has('ends_at') && !values.ends_at && { no_end: true }),
  }
}

export function useAnnouncementSections({ isNew }: { isNew: boolean }): FormSection[] {
  return [useTexts(), useShowing(isNew), useAudience()]
}

function useTexts(): FormSection {
  const { t } = useTranslation('console/content')
  const fields = texts.map((name): Field => {
    const isTitle = name.startsWith('title')
    return {
      name,
      label: t(`field.${name}`),
      kind: isTitle ? 'text' : 'markdown',
      rules: rules[name],
      ...(/_(zh|en)$/.test(name) && { hint: t('hint.language') }),
    }
  })
  return { title: t('section.text'), about: t('section.textAbout'), fields: () => fields }
}

function useShowing(isNew: boolean): FormSection {
  const { t } = useTranslation('console/content')
  const fields: Field[] = [
    {
      name: 'ann_type',
      label: t('column.type'),
      kind: 'choice',
      options: types.map((value) => ({ value, label: t(`type.${value}`) })),
    },
    { name: 'is_pinned', label: t('field.is_pinned'), kind: 'switch' },
    {
      name: 'starts_at',
      label: t('column.starts'),
      kind: 'datetime',
      ...(isNew ? { hint: t('hint.starts') } : { isRequired: true }),
    },
    { name: 'ends_at', label: t('field.ends_at'), kind: 'datetime', hint: t('hint.ends') },
  ]
  const again: Field = {
    name: 'again',
    label: t('field.again'),
    hint: t('hint.again'),
    kind: 'switch',
  }
  return { title: t('section.showing'), fields: () => (isNew ? fields : [...fields, again]) }
}

function useAudience(): FormSection {
  const { t } = useTranslation('console/content')
  const audience: Field = {
    name: 'audience',
    label: t('column.audience'),
    kind: 'choice',
    options: audiences.map((value) => ({ value, label: t(`audience.${value}`) })),
  }
  const numbers: Field = {
    name: 'audience_ids',
    label: t('field.audience_ids'),
    hint: t('hint.numbers'),
    kind: 'lines',
    isRequired: true,
    rules: { pattern: /^\d+([\s,]+\d+)*$/ },
  }
  return {
    title: t('section.audience'),
    fields: (values) => (values.audience === 'all' ? [audience] : [audience, numbers]),
  }
}
