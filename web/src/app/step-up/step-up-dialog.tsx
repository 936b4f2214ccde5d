import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '@/lib/api/auth-api'
import { accountStepUpWaysOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { accountStepUp } from '@/lib/api/gen/sdk.gen'
import type {
  AccountStepUpWaysResponse,
  AuthPasskeyBeginData,
  AuthPasskeyBeginResponse,
} from '@/lib/api/gen/types.gen'
import { askForPasskey, hasPasskeys, passkeyProblem } from '@/lib/passkey'
import { Dialog } from '@/ui/dialog'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { EmailCodeForm } from './email-code-form'
import { PasswordForm } from './password-form'

/**
 * Asks for the password or a passkey; where the account has neither, for a code by mail. The second factor is asked for where it
 * is on.
 */
export function StepUpDialog({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('step-up')
  const ways = useQuery({ ...accountStepUpWaysOptions(), gcTime: 0 })
  return (
    <Dialog title={t('title')} onClose={() => onEnd(false)}>
      <Loaded query={ways} skeleton={<Skeleton height={180} radius="md" />}>
        {(known) => <Ways ways={known} onEnd={onEnd} />}
      </Loaded>
    </Dialog>
  )
}

function Ways(props: { ways: AccountStepUpWaysResponse; onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('step-up')
  const { ways, onEnd } = props
  const isByPasskey = ways.passkey && hasPasskeys()
  const isNone = !ways.password && !isByPasskey && !ways.email_code
  return (
    <Stack gap="md">
      <Text>{t(isNone ? 'none' : ways.email_code ? 'aboutCode' : 'about')}</Text>
      {ways.password && <PasswordForm needsCode={ways.two_factor} onEnd={onEnd} />}
      {ways.email_code && <EmailCodeForm needsCode={ways.two_factor} onEnd={onEnd} />}
      {isByPasskey && <PasskeyButton onProved={() => onEnd(true)} />}
    </Stack>
  )
}

const beginPasskey = () =>
  post<AuthPasskeyBeginData, AuthPasskeyBeginResponse>('/api/v2/auth/passkey/begin')

function PasskeyButton({ onProved }: { onProved: () => void }) {
  const { t } = useTranslation('step-up')
  const { t: passkey } = useTranslation('passkey')
  const { t: common } = useTranslation()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const use = async () => {
    setProblem(undefined)
    setBusy(true)
    try {
      const { options } = await beginPasskey()
      const credential = await askForPasskey(options, { signal: new AbortController().signal })
      await accountStepUp({ body: { credential }, throwOnError: true })
      onProved()
    } catch (error) {
      setProblem(passkeyProblem(error, passkey, common))
      setBusy(false)
    }
  }
  return (
    <>
      <Button variant="default" fullWidth loading={isBusy} onClick={() => void use()}>
        {t('passkey')}
      </Button>
      <FormError message={problem} />
    </>
  )
}
