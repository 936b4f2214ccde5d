import { Button } from '@mantine/core'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiError } from '@/lib/api/errors'
import { paths } from '@/lib/constants'
import { ButtonLink } from '@/ui/button-link'
import { Notice } from '@/ui/notice'
import { StatusPage } from '@/ui/status-page'
import classes from './console.module.css'
import { dropAccess, noticeKey } from './role-change'

/** Above the page: why it and the menu are others than before. */
export function RoleNotice() {
  const { t } = useTranslation('console/shell')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const { data: isShown } = useQuery<boolean>({ queryKey: noticeKey, queryFn: skipToken })
  if (!isShown) return null
  const close = (
    <Button size="xs" variant="default" onClick={() => queryClient.setQueryData(noticeKey, false)}>
      {common('close')}
    </Button>
  )
  return (
    <div className={classes.notice}>
      <Notice tone="warning" action={close}>
        {t('role.changed')}
      </Notice>
    </div>
  )
}

/** In the place of the console, for one who may not act as a member of staff any more. */
export function NoLongerStaff({ refusal }: { refusal: ApiError }) {
  const { t } = useTranslation('console/shell')
  const queryClient = useQueryClient()
  useEffect(() => {
    dropAccess(queryClient)
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [queryClient])
  const isRemoved = refusal.code === 'not_allowed'
  return (
    <main id="main">
      <StatusPage
        caption={t('badge')}
        title={t(isRemoved ? 'role.removed' : 'role.suspended')}
        text={isRemoved ? t('role.removedText') : refusal.message}
        action={<ButtonLink to={paths.dashboard}>{t('asCustomer')}</ButtonLink>}
      />
    </main>
  )
}
