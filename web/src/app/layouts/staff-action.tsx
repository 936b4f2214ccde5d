import i18next from 'i18next'
import { BriefcaseBusiness, PanelsTopLeft } from 'lucide-react'
import { builtInRole } from '@/lib/built-in-role'
import { loadTexts } from '../i18n'

/** The entries of the palette for members of staff. In a chunk that nobody else loads. */
export async function staffActions(role: string) {
  await loadTexts('staff')
  const known = builtInRole(role)
  const t = i18next.getFixedT(null, 'staff')
  return [
    {
      id: 'console',
      to: '/admin',
      label: t('console'),
      keywords: 'console admin guanli houtai',
      leftSection: <PanelsTopLeft size={18} strokeWidth={1.75} />,
    },
    {
      id: 'staff',
      to: '/user/account/staff',
      label: t('entry', { role: known ? t(`role.${known}`) : role }),
      keywords: 'staff role permissions commands gongzuorenyuan quanxian mingling',
      leftSection: <BriefcaseBusiness size={18} strokeWidth={1.75} />,
    },
  ] as const
}
