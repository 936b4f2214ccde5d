import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { BanResult } from '@/lib/api/gen/types.gen'
import { Facts } from './facts'
import classes from './ban-notice.module.css'
import { ContactLinks, useContacts } from './contact'
import { Fact } from './fact'
import { Moment } from './moment'
import { Notice } from './notice'
import { TextLink } from './text-link'

/** Says that the account is suspended, what staff wrote about it, when that ends by itself, and whom to write to. */
export function BanNotice({ ban }: { ban: BanResult | null }) {
  const { t } = useTranslation()
  const isReachable = useContacts() !== undefined
  return (
    <>
      <Notice tone="error">
        {t('ban.notice')} <TextLink to="/user/tickets/new">{t('ban.mistake')}</TextLink>
      </Notice>
      {(ban?.reason || ban?.until || isReachable) && (
        <Facts flows>
          {ban?.reason && <Fact name={t('ban.reason')}>{ban.reason}</Fact>}
          {ban?.until && (
            <Fact name={t('ban.until')}>
              <Moment time={ban.until} withTime />
            </Fact>
          )}
          {isReachable && (
            <Fact name={t('contact.title')}>
              <ContactLinks isForUser />
            </Fact>
          )}
        </Facts>
      )}
    </>
  )
}

/** The same at the top of a page; nothing while the account may be used. */
export function OwnBan() {
  const { data: me } = useQuery(userGetMeOptions())
  if (!me?.is_ban) return null
  return (
    <div className={classes.top}>
      <BanNotice ban={me.ban} />
    </div>
  )
}

/** Whether the account is suspended, as far as the server has said. */
export function useIsBanned(): boolean {
  const { data: me } = useQuery(userGetMeOptions())
  return me?.is_ban === true
}

/** What a suspended account may not do, as to buy or to top up; the server refuses it. */
export function UnlessBanned({ children }: { children: ReactNode }) {
  return useIsBanned() ? null : children
}
