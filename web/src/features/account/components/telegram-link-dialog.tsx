import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  accountLinkTelegramBeginMutation,
  accountLinkTelegramOptions,
  accountSecurityOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { AccountLinkTelegramBeginResponse } from '@/lib/api/gen/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Dialog } from '@/ui/dialog'
import { FormDone } from '@/ui/form-done'
import { Loaded } from '@/ui/loaded'
import { Qr } from '@/ui/qr'
import { ProofForm } from './proof-form'
import classes from './telegram.module.css'

const ASK_EVERY_MS = 1500

/** Asks for the password, then shows a QR code for Telegram's bot until an account is linked. */
export function TelegramLinkDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('telegram')
  const security = useQuery(accountSecurityOptions())
  const begin = useMutation(accountLinkTelegramBeginMutation())
  return (
    <Dialog title={t('link.title')} onClose={onClose}>
      {begin.isSuccess ? (
        <UntilLinked way={begin.data} onClose={onClose} />
      ) : (
        <Loaded query={security} skeleton={<Skeleton height={200} />}>
          {({ ga_enable }) => (
            <ProofForm
              text={t('link.proof')}
              action={t('link.next')}
              needsCode={ga_enable}
              onProof={(body) => begin.mutateAsync({ body })}
            />
          )}
        </Loaded>
      )}
    </Dialog>
  )
}

function UntilLinked(props: { way: AccountLinkTelegramBeginResponse; onClose: () => void }) {
  const { t } = useTranslation('telegram')
  const link = useQuery({
    ...accountLinkTelegramOptions(),
    refetchInterval: ({ state }) => (state.data?.is_linked ? false : ASK_EVERY_MS),
    refetchIntervalInBackground: true,
  })
  return link.data?.is_linked ? (
    <Stack gap="md">
      <FormDone message={t('link.done')} />
      <Button onClick={props.onClose} data-autofocus>
        {t('link.close')}
      </Button>
    </Stack>
  ) : (
    <Way way={props.way} />
  )
}

function Way({ way: { link, token, bot_name } }: { way: AccountLinkTelegramBeginResponse }) {
  const { t } = useTranslation('telegram')
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
