import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Site, siteOptions } from '@/lib/api/site'
import classes from './contact.module.css'

type Contacts = Pick<Site['about'], 'contact_email' | 'contact_url'>

/** Where the operator is written to; undefined where nobody is named, or while that is not known. */
export function useContacts(): Contacts | undefined {
  const { data: site } = useQuery(siteOptions())
  const about = site?.about
  return about?.contact_email || about?.contact_url ? about : undefined
}

/** Links to write to the operator. On pages that anybody reads, the e-mail address is shown to who asks for it. */
export function ContactLinks({ isForUser = false }: { isForUser?: boolean }) {
  const contacts = useContacts()
  return (
    <span className={classes.links}>
      {contacts?.contact_url && (
        <Anchor href={contacts.contact_url} target="_blank" rel="noreferrer" inherit>
          {nameOf(contacts.contact_url)}
        </Anchor>
      )}
      {contacts?.contact_email && (
        <Email address={contacts.contact_email} isShownAtOnce={isForUser} />
      )}
    </span>
  )
}

/** Programs that collect addresses read pages, and press no buttons. */
function Email({ address, isShownAtOnce }: { address: string; isShownAtOnce: boolean }) {
  const { t } = useTranslation()
  const [isWanted, setWanted] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isWanted) link.current?.focus()
  }, [isWanted])
  if (!isShownAtOnce && !isWanted) {
    return (
      <Anchor component="button" type="button" inherit onClick={() => setWanted(true)}>
        {t('contact.showEmail')}
      </Anchor>
    )
  }
  return (
    <Anchor ref={link} href={`mailto:${address}`} inherit>
      {address}
    </Anchor>
  )
}

const TELEGRAM = new Set(['t.me', 'telegram.me'])

function nameOf(address: string): string {
  const { host } = new URL(address)
  return TELEGRAM.has(host) ? 'Telegram' : host
}
