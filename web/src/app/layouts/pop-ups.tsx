import { Badge, Button, Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMarkAnnouncements } from '@/lib/api/announcements'
import type { AnnouncementItem } from '@/lib/api/gen/types.gen'
import type { LateModal } from '@/ui/late-modal'
import { loadMarkdown } from '@/ui/load-markdown'
import { Markdown } from '@/ui/markdown'

// Nothing comes between people and their payment, or what they write.
const UNDISTURBED = [
  '/user/services/buy',
  '/user/services/renewals',
  '/user/shop-old',
  '/user/connection-reset',
  '/user/tickets/new',
  '/user/tickets/view',
  '/user/wallet/recharge',
]

/** How often it is seen whether a pop-up that waits may open. */
const LOOK_EVERY_MS = 500

/** Whether a pop-up would open over another dialog, or take the focus from a field. */
const isBusy = () =>
  document.querySelector('[aria-modal=true]') !== null ||
  document.activeElement?.matches('input, textarea') === true

/**
 * Gives the component of a dialog once nothing is in a pop-up's way. Its code and that of its text are loaded before that
 * is seen: loaded later, it could open over what was opened meanwhile.
 */
function useFreeModal() {
  const [modal, setModal] = useState<{ Modal: typeof LateModal }>()
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined
    let isGone = false
    const wait = async () => {
      const [{ LateModal: Modal }] = await Promise.all([import('@/ui/late-modal'), loadMarkdown()])
      const look = () => {
        if (isGone || isBusy()) return
        clearInterval(timer)
        setModal({ Modal })
      }
      if (!isGone) timer = setInterval(look, LOOK_EVERY_MS)
      look()
    }
    // Without its code it comes with the next page that is loaded.
    wait().catch(() => undefined)
    return () => {
      isGone = true
      clearInterval(timer)
    }
  }, [])
  return modal?.Modal
}

/** What the operator wants each user to see, one after the other, each once and on one device only. */
export function PopUps({ list }: { list: AnnouncementItem[] }) {
  const { pathname } = useLocation()
  if (UNDISTURBED.some((path) => pathname.startsWith(path))) return null
  return <Waiting list={list} />
}

function Waiting({ list }: { list: AnnouncementItem[] }) {
  const [first] = list
  const Modal = useFreeModal()
  if (!first || !Modal) return null
  return <PopUp key={first.id} one={first} moreCount={list.length - 1} Modal={Modal} />
}

function PopUp(props: { one: AnnouncementItem; moreCount: number; Modal: typeof LateModal }) {
  const { one, moreCount, Modal } = props
  const { t } = useTranslation()
  const markRead = useMarkAnnouncements()
  // The focus goes back to where it was, which Modal does only when it is closed, not when it is taken away.
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus()
    },
    [before],
  )
  const close = () => markRead([one.id])
  return (
    <Modal
      opened
      title={one.title || t('nav.announcements')}
      closeButtonProps={{ 'aria-label': t('close') }}
      onClose={close}
    >
      <Markdown text={one.markdown_text} level={3} />
      <Group justify="space-between" mt="lg">
        {moreCount > 0 ? (
          <Badge variant="default">{t('announcements.more', { count: moreCount })}</Badge>
        ) : (
          <span />
        )}
        <Button data-autofocus onClick={close}>
          {t('announcements.gotIt')}
        </Button>
      </Group>
    </Modal>
  )
}
