import { Button, Text } from '@mantine/core'
import { BookOpen, Download, QrCode } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LinkApp as Client } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { CopyButton } from '@/ui/copy-button'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { isPastedByHand } from './import-client'

/** After a tap that opened nothing, or for a client that cannot be opened: the other ways on. */
export function NotOpenedDialog(props: {
  client: Client
  url: string
  onShowQr?: (() => void) | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('home')
  const { name, download_url: download } = props.client
  const { onClose, onShowQr } = props
  const isByHand = isPastedByHand(props.client)
  return (
    <Dialog
      onClose={onClose}
      title={
        isByHand ? t('byHand.title', { client: name }) : t('notOpened.title', { client: name })
      }
    >
      <Text c="dimmed">
        {isByHand ? t('byHand.text', { client: name }) : t('notOpened.text', { client: name })}
      </Text>
      <DialogActions>
        <Button
          component="a"
          href={download}
          target="_blank"
          rel="noreferrer"
          leftSection={<Download size={16} strokeWidth={1.75} />}
        >
          {t('download', { client: name })}
        </Button>
        <CopyButton text={props.url} name={t('link')} />
        {props.client.guide_slug && (
          <ButtonLink
            variant="default"
            to="/user/guides/$slug"
            params={{ slug: props.client.guide_slug }}
            leftSection={<BookOpen size={16} strokeWidth={1.75} />}
          >
            {t('guide', { client: name })}
          </ButtonLink>
        )}
        {onShowQr && (
          <Button
            variant="default"
            leftSection={<QrCode size={16} strokeWidth={1.75} />}
            onClick={() => {
              onClose()
              onShowQr()
            }}
          >
            {t('qr')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
