import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OwnRole, RoleList } from '@/lib/api/gen/staff/types.gen'
import { Notice } from '@/ui/notice'
import { StatusDot } from '@/ui/status-dot'
import { Item, Items, Section } from '../parts/section'

/** What a role may do, by area. */
export function RolePermissions({ list, role }: { list: RoleList; role: OwnRole | undefined }) {
  const { t } = useTranslation('console/team')
  if (!role) return <Text>{t('gone')}</Text>
  const held = new Set(role.permissions)
  const areas = list.areas
    .map((area) => ({
      ...area,
      permissions: area.permissions.filter(({ permission }) => held.has(permission)),
    }))
    .filter(({ permissions }) => permissions.length > 0)
  return (
    <Stack gap="lg">
      {role.unknown.length > 0 && (
        <Notice tone="warning">{t('roles.unknown', { names: role.unknown.join(', ') })}</Notice>
      )}
      {areas.map((area) => (
        <Section key={area.name} title={area.name}>
          <Items>
            {area.permissions.map(({ permission, allows, is_dangerous: isDangerous }) => (
              <Item
                key={permission}
                name={allows}
                state={isDangerous && <StatusDot tone="warning">{t('roles.dangerous')}</StatusDot>}
                about={permission}
              />
            ))}
          </Items>
        </Section>
      ))}
    </Stack>
  )
}
