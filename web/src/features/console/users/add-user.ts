import { UserPlus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffUserAdd } from '@/lib/api/gen/staff/sdk.gen'
import type { Action } from '../parts/action'

/** Adding a user, who gets a mail to set a password. */
export function useAddUser(): Action<null> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'add',
    icon: UserPlus,
    title: t('add.title'),
    permission: 'user.add',
    danger: 'C',
    fields: () => [
      { name: 'email', label: t('add.email'), kind: 'text', isRequired: true },
      { name: 'name', label: t('add.name'), hint: t('add.nameHint'), kind: 'text' },
    ],
    effect: () => t('add.effect'),
    run: (_, { email, name }) =>
      staffUserAdd({
        body: { email: String(email), ...(name && { name: String(name) }) },
        throwOnError: true,
      }),
    done: () => t('add.done'),
  }
}
