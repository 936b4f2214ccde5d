import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import type { Trait } from './model'

/** Returns a function that describes a plan's trait in a few words. */
export function useTraitText() {
  const { t } = useTranslation('shop')
  return (plan: Plan, trait: Trait): string => {
    switch (trait) {
      case 'class_name':
        return t('trait.class', { name: plan.class_name })
      case 'speed_mbps':
        return plan.speed_mbps === null
          ? t('trait.anySpeed')
          : t('trait.speed', { mbps: plan.speed_mbps })
      case 'devices':
        return plan.devices === null
          ? t('trait.anyDevices')
          : t('trait.devices', { count: plan.devices })
      case 'reset':
        return t(`trait.reset.${plan.reset}`)
    }
  }
}
