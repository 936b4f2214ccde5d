import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSiteName } from '@/lib/site-name'
import { CopyButton } from '@/ui/copy-button'
import { Dialog } from '@/ui/dialog'
import { Qr } from '@/ui/qr'
import classes from './qr-dialog.module.css'

/** The link for another device's camera. */
export function QrDialog({ url, onClose }: { url: string; onClose: () => void }) {
  const { t } = useTranslation('home')
  const siteName = useSiteName()
  return (
    <Dialog onClose={onClose} title={t('qrTitle')}>
      <div className={classes.qr}>
        <Qr text={url} label={t('qrTitle')} />
        <div>
          <Text fw={500}>{siteName}</Text>
          <Text c="dimmed" size="sm">
            {t('qrHint')}
          </Text>
        </div>
        <CopyButton text={url} name={t('link')} fullWidth />
      </div>
    </Dialog>
  )
}
