import { useTranslation } from 'react-i18next'
import { staffRoleMakeRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { OwnRole, RoleList, RolePermission } from '@/lib/api/gen/staff/types.gen'
import type { Field } from '../parts/field'
import type { FormSection, FormValues } from '../parts/resource-form'

const fieldOf = (permission: string) => `may_${permission.replaceAll('.', '_')}`

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** What every role has is no choice, and what the member has not got is not theirs to give. */
const isChoice = (one: RolePermission) => one.may_give && !one.is_always

export const roleValues = (list: RoleList, role: OwnRole | undefined): FormValues => ({
  reason: '',
  ...Object.fromEntries(
    list.areas.flatMap(({ permissions }) =>
      permissions
        .filter(isChoice)
        .map(({ permission }) => [
          fieldOf(permission),
          role?.permissions.includes(permission) ?? false,
        ]),
    ),
  ),
})

/** The permissions that are chosen, with those that only a newer version of the program knows. */
export const chosen = (list: RoleList, values: FormValues, role?: OwnRole) => [
  ...list.areas.flatMap(({ permissions }) =>
    permissions
      .filter((one) => isChoice(one) && values[fieldOf(one.permission)] === true)
      .map(({ permission }) => permission),
  ),
  ...(role?.unknown ?? []),
]

/** The permissions by area, in words, with those that ask for the password marked. */
export function useRoleSections(list: RoleList, isNew: boolean): FormSection[] {
  const { t } = useTranslation('console/team')
  const name: Field = {
    name: 'name',
    label: t('roles.name'),
    hint: t('roles.nameHint'),
    kind: 'text',
    isRequired: true,
    rules: { ...rules.name, maxLength: 32 },
  }
  const reason: Field = {
    name: 'reason',
    label: t('roles.reason'),
    kind: 'text',
    isRequired: true,
    rules: rules.reason,
  }
  const permission = (one: RolePermission): Field => ({
    name: fieldOf(one.permission),
    label: capital(one.allows),
    hint: one.is_dangerous
      ? t('roles.permissionDangerous', { permission: one.permission })
      : one.permission,
    kind: 'switch',
  })
  return [
    ...(isNew ? [{ title: t('roles.name'), fields: () => [name] }] : []),
    ...list.areas
      .map((area) => ({
        title: area.name,
        fields: area.permissions.filter(isChoice).map(permission),
      }))
      .filter(({ fields }) => fields.length > 0)
      .map(({ title, fields }) => ({ title, fields: () => fields })),
    { title: t('roles.reason'), fields: () => [reason] },
  ]
}
