import { useTranslation } from 'react-i18next'
import { builtInRole } from '@/lib/built-in-role'

/** What a role is called: built-in ones have words, others the name that they were given. */
export function useRoleName() {
  const { t } = useTranslation('console/team')
  return (role: string) => {
    const known = builtInRole(role)
    return known ? t(`role.${known}`) : role
  }
}
