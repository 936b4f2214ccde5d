import { Badge, Button, Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMarkAnnouncements } from '@/lib/api/announcements'
import type { AnnouncementItem } from '@/lib/api/gen/types.gen'
import { Dialog } from '@/ui/dialog'
import { Markdown } from '@/ui/markdown'

// Nothing comes between people and their payment, or what they write.
const UNDISTURBED = [
  '/user/services/buy',
  '/user/services/renewals',
  '/user/shop-old',
  '/user/tickets/new',
  '/user/wallet/recharge',
]

/** What the operator wants each user to see, one after the other, each once and on one device only. */
export function PopUps({ list }: { list: AnnouncementItem[] }) {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const markRead = useMarkAnnouncements()
  const [first] = list
  // Nor does anything take the focus from a field.
  const isWriting = document.activeElement?.matches('input, textarea')
  if (!first || isWriting || UNDISTURBED.some((path) => pathname.startsWith(path))) return null
  const close = () => markRead([first.id])
  return (
    <Dialog key={first.id} title={first.title || t('nav.announcements')} onClose={close}>
      <Markdown text={first.markdown_text} level={3} />
      <Group justify="space-between" mt="lg">
        {list.length > 1 ? (
          <Badge variant="default">{t('announcements.more', { count: list.length - 1 })}</Badge>
        ) : (
          <span />
        )}
        <Button data-autofocus onClick={close}>
          {t('announcements.gotIt')}
        </Button>
      </Group>
    </Dialog>
  )
}
