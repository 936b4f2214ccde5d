import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  accountLinkTelegramQueryKey,
  accountMeQueryKey,
  accountUnlinkTelegramMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Confirm } from '@/ui/confirm'

const TelegramLinkDialog = lazyPart(() => import('./telegram-link-dialog'), 'TelegramLinkDialog')

/** Links a Telegram account, or unlinks the one there is. */
export function TelegramActions({ isLinked }: { isLinked: boolean }) {
  const { t } = useTranslation('telegram')
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<'link' | 'unlink'>()
  const unlink = useMutation(accountUnlinkTelegramMutation())
  const renew = () => {
    queryClient.removeQueries({ queryKey: accountLinkTelegramQueryKey() })
    void queryClient.invalidateQueries({ queryKey: accountMeQueryKey() })
  }
  const close = () => {
    setOpen(undefined)
    renew()
  }
  return (
    <>
      {isLinked ? (
        <Button size="sm" variant="subtle" color="red" onClick={() => setOpen('unlink')}>
          {t('link.unlink')}
        </Button>
      ) : (
        <Button size="sm" variant="default" onClick={() => setOpen('link')}>
          {t('link.link')}
        </Button>
      )}
      <Suspense>{open === 'link' && <TelegramLinkDialog onClose={close} />}</Suspense>
      <Confirm
        opened={open === 'unlink'}
        title={t('link.unlinkTitle')}
        consequence={t('link.unlinkText')}
        action={t('link.unlink')}
        onConfirm={() => unlink.mutateAsync({}).finally(renew)}
        onClose={() => setOpen(undefined)}
      />
    </>
  )
}
