import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuthTelegramBeginResponse, AuthTelegramStateResponse } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { Qr } from '@/ui/qr'
import { beginTelegramSignIn, telegramSignInState } from '../telegram-calls'
import { CheckField } from './check-field'
import { TelegramConfirmed } from './telegram-confirmed'
import classes from './telegram.module.css'

type State = AuthTelegramStateResponse['state']

const ASK_EVERY_MS = 1000

/** A QR code for Telegram's bot; goes on by itself once the person has confirmed there. */
export function TelegramSignIn({ next }: { next: string | undefined }) {
  const { t } = useTranslation('telegram')
  const { t: common } = useTranslation()
  const begun = useQuery({
    queryKey: ['telegram-sign-in'],
    queryFn: beginTelegramSignIn,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const again = () => void begun.refetch()

  if (begun.isFetching) return <Skeleton height={420} radius="lg" />
  if (!begun.data) {
    return (
      <Stack gap="md">
        <FormError message={problemText(begun.error, common)} />
        <Button variant="default" onClick={again}>
          {t('signIn.again')}
        </Button>
      </Stack>
    )
  }
  return <Begun key={begun.data.login_code} signIn={begun.data} next={next} onAgain={again} />
}

function Begun(props: {
  signIn: AuthTelegramBeginResponse
  next: string | undefined
  onAgain: () => void
}) {
  const { t } = useTranslation('telegram')
  const { t: account } = useTranslation('account')
  const { login_code, link, number, bot_name } = props.signIn
  const [isRemembered, setRemembered] = useState(true)
  const state = useSignInState(login_code)
  const compareId = useId()

  if (state === 'confirmed') {
    return (
      <TelegramConfirmed
        loginCode={login_code}
        isRemembered={isRemembered}
        next={props.next}
        onAgain={props.onAgain}
      />
    )
  }
  if (state === 'denied' || state === 'over') {
    return (
      <Stack gap="md">
        <FormError message={t(`signIn.${state}`)} />
        <Button onClick={props.onAgain}>{t('signIn.again')}</Button>
      </Stack>
    )
  }
  return (
    <Stack gap="md">
      <Text ta="center">{t('signIn.scan')}</Text>
      <div className={classes.qr}>
        <Qr text={link} label={t('signIn.qr', { bot: bot_name })} />
      </div>
      <p className={classes.number} aria-describedby={compareId}>
        <span>{t('signIn.number')}</span> <b>{number}</b>
      </p>
      <Text id={compareId} size="sm" c="dimmed" ta="center">
        {t('signIn.compare')}
      </Text>
      <Button component="a" href={link} target="_blank" rel="noreferrer">
        {t('signIn.open')}
      </Button>
      <Text role="status" size="sm" ta="center" fw={state === 'opened' ? 600 : 400}>
        {t(`signIn.${state}`)}
      </Text>
      <CheckField
        label={account('signIn.remember')}
        checked={isRemembered}
        onChange={(event) => setRemembered(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed" ta="center">
        {t('signIn.newAccount')}
      </Text>
    </Stack>
  )
}

/** How far the sign-in has come, asked each second until it has ended; a lost answer is asked for again. */
function useSignInState(loginCode: string): State {
  const { data } = useQuery({
    queryKey: ['telegram-sign-in', loginCode],
    queryFn: () => telegramSignInState({ login_code: loginCode }),
    refetchInterval: ({ state }) => (isEnd(state.data?.state) ? false : ASK_EVERY_MS),
    refetchIntervalInBackground: true,
    gcTime: 0,
    retry: false,
  })
  return data?.state ?? 'waiting'
}

const isEnd = (state: State | undefined) =>
  state === 'confirmed' || state === 'denied' || state === 'over'
