import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { problemText } from '@/lib/server-problem'
import { CopyButton } from '@/ui/copy-button'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { useResetLink } from '../use-reset-link'

/** Says what a new link costs before it is made, and shows it at once afterwards. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('home')
  const { t: common } = useTranslation()
  const reset = useResetLink()
  return (
    <Dialog onClose={onClose} title={reset.isSuccess ? t('reset.doneTitle') : t('reset.title')}>
      <Text c="dimmed">{reset.isSuccess ? t('reset.doneText') : t('reset.text')}</Text>
      {reset.error && <FormError message={problemText(reset.error, common)} />}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {reset.isSuccess ? common('close') : common('cancel')}
        </Button>
        {reset.isSuccess ? (
          <CopyButton variant="filled" text={reset.data.url} name={t('link')} />
        ) : (
          <Button color="red" loading={reset.isPending} onClick={() => reset.mutate(false)}>
            {t('reset.submit')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
