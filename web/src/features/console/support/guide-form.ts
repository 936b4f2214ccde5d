import { useTranslation } from 'react-i18next'
import { staffGuideAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { GuideBody, StaffGuide } from '@/lib/api/gen/staff/types.gen'
import type { Field } from '../parts/field'
import type { FormSection, FormValues } from '../parts/resource-form'

const titles = ['title', 'title_zh', 'title_en'] as const
const bodies = ['body', 'body_zh', 'body_en'] as const
const categories = ['category', 'category_zh', 'category_en'] as const
const texts = ['slug', ...titles, ...bodies, ...categories, 'client_id'] as const
const systems = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  harmonyos: 'HarmonyOS',
} as const
const systemNames = Object.keys(systems) as (keyof typeof systems)[]

export const blankGuide: FormValues = {
  ...Object.fromEntries(texts.map((name) => [name, ''])),
  ...Object.fromEntries(systemNames.map((name) => [name, false])),
  position: '100',
  is_published: false,
}

export const guideValues = (one: StaffGuide): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, one[name]])),
  ...Object.fromEntries(systemNames.map((name) => [name, one.systems.includes(name)])),
  position: String(one.position),
  is_published: one.is_published,
})

/** What changed, or all of a new guide. */
export function guideBody(values: FormValues, changed: readonly string[]): GuideBody {
  const names = new Set(changed)
  const given = texts.filter((name) => names.has(name)).map((name) => [name, values[name]])
  return {
    ...Object.fromEntries(given),
    ...(systemNames.some((name) => names.has(name)) && {
      systems: systemNames.filter((name) => values[name] === true),
    }),
    ...(names.has('position') && { position: Number(values.position) }),
    ...(names.has('is_published') && { is_published: values.is_published === true }),
  }
}

export function useGuideSections(): FormSection[] {
  const { t } = useTranslation('console/support')
  const field = (name: (typeof texts)[number], kind: Field['kind'] = 'text'): Field => ({
    name,
    label: t(`guide.${name}`),
    kind,
    rules: rules[name],
    ...(/_(zh|en)$/.test(name) && { hint: t('hint.language') }),
  })
  const slug: Field = {
    ...field('slug'),
    hint: t('hint.slug'),
    isRequired: true,
    rules: { ...rules.slug, pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/ },
  }
  const position: Field = {
    name: 'position',
    label: t('column.position'),
    hint: t('hint.position'),
    kind: 'number',
    isRequired: true,
    rules: { pattern: /^\d{1,6}$/ },
  }
  const shown: Field = { name: 'is_published', label: t('guide.is_published'), kind: 'switch' }
  return [
    {
      title: t('section.text'),
      about: t('hint.variables', variables),
      fields: () => [
        ...titles.map((name) => field(name)),
        ...bodies.map((name) => field(name, 'markdown')),
      ],
    },
    {
      title: t('section.place'),
      fields: () => [slug, ...categories.map((name) => field(name)), position, shown],
    },
    {
      title: t('section.about'),
      about: t('hint.systems'),
      fields: () => [
        { ...field('client_id'), hint: t('hint.client') },
        ...systemNames.map((name): Field => ({ name, label: systems[name], kind: 'switch' })),
      ],
    },
  ]
}

const variables = { link: '{{link}}', name: '{{site_name}}', url: '{{site_url}}' }

/** A text as a customer reads it, with what the variables stand for. */
export function filledIn(text: string, siteName: string): string {
  const means: Record<string, string> = {
    link: `${location.origin}/…`,
    site_name: siteName,
    site_url: location.origin,
  }
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (all, name: string) => means[name] ?? all)
}
