import { Pencil, Plus, Trash2, UserRoundX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffAuditRuleMakeRules as bounds } from '@/lib/api/gen/staff/rules.gen'
import {
  staffAuditRuleChange,
  staffAuditRuleMake,
  staffAuditRuleRemove,
  staffAuditRules,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffAuditRecord, StaffAuditRule } from '@/lib/api/gen/staff/types.gen'
import { ApiError } from '@/lib/api/errors'
import type { Action, Values } from '../parts/action'
import type { Field } from '../parts/field'

const permission = 'node.rule.write'

/** Numbers of users, one per line or with whatever between them. */
const idsOf = (text: unknown): number[] =>
  String(text)
    .split(/[\s,，;]+/)
    .filter(Boolean)
    .map(Number)

const bodyOf = (values: Values) => ({
  name: String(values.name),
  text: String(values.text),
  pattern: String(values.pattern),
  exempt_user_ids: idsOf(values.exempt_user_ids),
})

function useFields() {
  const { t } = useTranslation('console/guard')
  return (rule?: StaffAuditRule): Field[] => [
    {
      name: 'name',
      label: t('column.rule'),
      kind: 'text',
      isRequired: true,
      initial: rule?.name ?? '',
      rules: bounds.name,
    },
    {
      name: 'pattern',
      label: t('column.pattern'),
      hint: t('rules.patternHint'),
      kind: 'text',
      isRequired: true,
      initial: rule?.pattern ?? '',
      rules: bounds.pattern,
    },
    {
      name: 'text',
      label: t('rules.text'),
      hint: t('rules.textHint'),
      kind: 'textarea',
      initial: rule?.text ?? '',
      rules: bounds.text,
    },
    {
      name: 'exempt_user_ids',
      label: t('column.exempt'),
      hint: t('rules.exemptHint'),
      kind: 'lines',
      initial: rule?.exempt_user_ids.join('\n') ?? '',
      rules: { pattern: /^[\d\s,，;]*$/ },
    },
  ]
}

export function useRuleAddition(): Action<undefined> {
  const { t } = useTranslation('console/guard')
  const fields = useFields()
  return {
    key: 'add',
    icon: Plus,
    title: t('rules.new'),
    permission,
    danger: 'C',
    fields: () => fields(),
    effect: () => t('rules.effect'),
    run: (_, values) => staffAuditRuleMake({ body: bodyOf(values), throwOnError: true }),
    done: () => t('rules.added'),
  }
}

export function useRuleActions(): Action<StaffAuditRule>[] {
  return [useChange(), useRemoval()]
}

function useChange(): Action<StaffAuditRule> {
  const { t } = useTranslation('console/guard')
  const fields = useFields()
  return {
    key: 'change',
    icon: Pencil,
    title: t('change'),
    permission,
    danger: 'C',
    fields: (rule) => fields(rule),
    effect: () => t('rules.effect'),
    run: (rule, values) =>
      staffAuditRuleChange({
        path: { rule_id: rule.id },
        headers: { 'If-Match': `"${rule.version}"` },
        body: bodyOf(values),
        throwOnError: true,
      }),
    done: ({ name }) => t('saved', { name }),
  }
}

function useRemoval(): Action<StaffAuditRule> {
  const { t } = useTranslation('console/guard')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('rules.remove'),
    permission,
    danger: 'C',
    effect: ({ name, hits: count }) => t('rules.removeEffect', { name, count }),
    run: ({ id }) => staffAuditRuleRemove({ path: { rule_id: id }, throwOnError: true }),
    done: ({ name }) => t('rules.removed', { name }),
  }
}

/** Frees a user from a rule that stopped the user. */
export function useExemption(): Action<StaffAuditRecord> {
  const { t } = useTranslation('console/guard')
  return {
    key: 'exempt',
    icon: UserRoundX,
    title: t('hits.exempt'),
    permission,
    danger: 'C',
    isShown: ({ email }) => email !== '',
    effect: ({ email, rule_name: rule }) => t('hits.exemptEffect', { email, rule }),
    run: async ({ user_id: user, rule_id: id }) => {
      const { data } = await staffAuditRules({ throwOnError: true })
      const rule = data.rules.find((one) => one.id === id)
      if (!rule) throw new ApiError(t('hits.lifted'), { status: 404, code: 'rule_not_found' })
      await staffAuditRuleChange({
        path: { rule_id: id },
        headers: { 'If-Match': `"${rule.version}"` },
        body: {
          name: rule.name,
          text: rule.text,
          pattern: rule.pattern,
          exempt_user_ids: [...rule.exempt_user_ids, user],
        },
        throwOnError: true,
      })
    },
    done: ({ email, rule_name: rule }) => t('hits.exempted', { email, rule }),
  }
}
