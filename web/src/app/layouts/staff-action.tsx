import type { SpotlightActionData } from '@mantine/spotlight'
import i18next from 'i18next'
import { BriefcaseBusiness } from 'lucide-react'
import type { GetMeResult } from '@/lib/api/gen/types.gen'
import { loadTexts } from '../i18n'

type Role = Exclude<GetMeResult['staff_role'], ''>

/** The entry of the palette for members of staff. In a chunk that nobody else loads. */
export async function staffAction(role: Role): Promise<SpotlightActionData> {
  await loadTexts('staff')
  const t = i18next.getFixedT(null, 'staff')
  return {
    id: 'staff',
    label: t('entry', { role: t(`role.${role}`) }),
    keywords: 'staff role permissions commands gongzuorenyuan quanxian mingling',
    leftSection: <BriefcaseBusiness size={18} strokeWidth={1.75} />,
  }
}
