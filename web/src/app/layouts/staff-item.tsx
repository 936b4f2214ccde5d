import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { BriefcaseBusiness, PanelsTopLeft } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { builtInRole } from '@/lib/built-in-role'

/** Tells members of staff that they are, and leads to the console and to what they may do. In a chunk that nobody else loads. */
export function StaffItem({ role }: { role: string }) {
  const { t } = useTranslation('staff')
  const known = builtInRole(role)
  return (
    <>
      <Menu.Item
        component={Link}
        to="/admin"
        closeMenuOnClick
        leftSection={<PanelsTopLeft size={16} strokeWidth={1.75} />}
      >
        {t('console')}
      </Menu.Item>
      <Menu.Item
        component={Link}
        to="/user/account/staff"
        closeMenuOnClick
        leftSection={<BriefcaseBusiness size={16} strokeWidth={1.75} />}
      >
        {t('entry', { role: known ? t(`role.${known}`) : role })}
      </Menu.Item>
      <Menu.Divider />
    </>
  )
}
