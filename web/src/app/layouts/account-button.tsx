import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ChevronsUpDown } from 'lucide-react'
import type { ComponentPropsWithRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignedInUser } from '@/lib/session/token-payload'
import classes from './account-button.module.css'

export function AccountButton({
  user,
  ...props
}: { user: SignedInUser } & ComponentPropsWithRef<'button'>) {
  const { t } = useTranslation()
  return (
    <UnstyledButton aria-haspopup="menu" {...props} className={classes.account}>
      <VisuallyHidden>{t('account.menu')}</VisuallyHidden>
      <span className={classes.initial} aria-hidden="true">
        {Array.from(user.user_name)[0]?.toUpperCase()}
      </span>
      <span className={classes.person}>
        <span className={classes.name}>{user.user_name}</span>
        <span className={classes.email}>{user.email}</span>
      </span>
      <ChevronsUpDown size={16} strokeWidth={1.75} aria-hidden="true" />
    </UnstyledButton>
  )
}
