import { Button, Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Image, Share2 } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InviteResult } from '@/lib/api/gen/types.gen'
import { siteOptions } from '@/lib/api/site'
import { lazyPart } from '@/lib/lazy-part'
import { useSiteName } from '@/lib/site-name'
import { CopyButton } from '@/ui/copy-button'
import { Notice } from '@/ui/notice'
import classes from './invite-link.module.css'

const PosterDialog = lazyPart(() => import('./poster-dialog'), 'PosterDialog')
const Qr = lazyPart(() => import('@/ui/qr'), 'Qr')

/** The invite link and code to copy or share, and the link as a QR code. */
export function InviteLink({ invite }: { invite: InviteResult }) {
  const { t } = useTranslation('invite')
  const { data: site } = useQuery(siteOptions())
  return (
    <Card component="section" aria-label={t('link')} className={classes.card}>
      <div className={classes.words}>
        {site?.sign_up.mode === 'closed' && <Notice tone="warning">{t('closed')}</Notice>}
        {invite.invites_left === 0 && <Notice tone="warning">{t('none')}</Notice>}
        <Copied name={t('link')} text={invite.invite_link}>
          <ShareButton invite={invite} />
        </Copied>
        <Copied name={t('code')} text={invite.invite_code} />
        <Poster invite={invite} />
      </div>
      <figure className={classes.qr}>
        <Suspense fallback={<Skeleton width="10rem" height="10rem" />}>
          <Qr text={invite.invite_link} label={t('qr')} />
        </Suspense>
        <figcaption>{t('qrHint')}</figcaption>
      </figure>
    </Card>
  )
}

function Poster({ invite }: { invite: InviteResult }) {
  const { t } = useTranslation('invite')
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <Button
        variant="default"
        leftSection={<Image size={16} strokeWidth={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('poster.open')}
      </Button>
      {isOpen && (
        <Suspense>
          <PosterDialog invite={invite} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

function Copied(props: { name: string; text: string; children?: ReactNode }) {
  return (
    <div>
      <h2 className={classes.name}>{props.name}</h2>
      <div className={classes.line}>
        <code className={classes.text}>{props.text}</code>
        <CopyButton text={props.text} name={props.name} />
        {props.children}
      </div>
    </div>
  )
}

/** Opens the device's share sheet, if the browser supports it. */
function ShareButton({ invite }: { invite: InviteResult }) {
  const { t } = useTranslation('invite')
  const site = useSiteName()
  if (!('share' in navigator)) return null
  const share = () =>
    navigator
      .share({ text: t('shareText', { site, code: invite.invite_code }), url: invite.invite_link })
      .catch(() => undefined) // closed without a choice
  return (
    <Button
      variant="default"
      leftSection={<Share2 size={16} strokeWidth={1.75} />}
      onClick={() => void share()}
    >
      {t('share')}
    </Button>
  )
}
