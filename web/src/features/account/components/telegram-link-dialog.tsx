import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { accountLinkTelegramOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { AccountLinkTelegramResponse } from '@/api/gen/types.gen'
import { CopyButton } from '@/shared/ui/copy-button'
import { Dialog } from '@/shared/ui/dialog'
import { FormDone } from '@/shared/ui/form-done'
import { Loaded } from '@/shared/ui/loaded'
import { Qr } from '@/shared/ui/qr'
import classes from './telegram.module.css'

const ASK_EVERY_MS = 1500

/** A QR code for Telegram's bot, until an account is linked; the server renews the code in time. */
export function TelegramLinkDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('telegram')
  const link = useQuery({
    ...accountLinkTelegramOptions(),
    refetchInterval: ({ state }) => (state.data?.is_linked ? false : ASK_EVERY_MS),
    refetchIntervalInBackground: true,
  })
  return (
    <Dialog title={t('link.title')} onClose={onClose}>
      <Loaded query={link} skeleton={<Skeleton height={360} />}>
        {(found) =>
          found.is_linked ? (
            <Stack gap="md">
              <FormDone message={t('link.done')} />
              <Button onClick={onClose} data-autofocus>
                {t('link.close')}
              </Button>
            </Stack>
          ) : (
            <Ways link={found} />
          )
        }
      </Loaded>
    </Dialog>
  )
}

function Ways({ link: { link, token, bot_name } }: { link: AccountLinkTelegramResponse }) {
  const { t } = useTranslation('telegram')
  if (!link || !token) return null
  const command = `/link ${token}`
  return (
    <Stack gap="md">
      <Text>{t('link.steps')}</Text>
      <div className={classes.qr}>
        <Qr text={link} label={t('signIn.qr', { bot: bot_name })} />
      </div>
      <Button component="a" href={link} target="_blank" rel="noreferrer" data-autofocus>
        {t('signIn.open')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('link.instead', { bot: bot_name })}
      </Text>
      <div className={classes.command}>
        <code>{command}</code>
        <CopyButton text={command} name={t('link.command')} size="sm" />
      </div>
      <Text role="status" size="sm" ta="center">
        {t('link.waiting')}
      </Text>
    </Stack>
  )
}
