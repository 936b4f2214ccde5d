import { Button, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffUserMerge } from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { problemText } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { Notice } from '@/ui/notice'
import type { Action } from '../parts/action'
import { ActionQuestion } from '../parts/action-runner'
import { useMoneyText } from '../parts/use-money-text'
import { UserState } from './columns'
import { type Pair, proposedToStay, running, typedUser, unmoved } from './merge-pair'
import classes from './users.module.css'

/** Finds the other account of a person, shows both, and asks which one stays; then it confirms. */
export function MergeDialog({ user, onClose }: { user: UserDetail; onClose: () => void }) {
  const [pair, setPair] = useState<Pair>()
  const action = useMerge()
  if (pair) return <ActionQuestion subject={pair} action={action} onClose={onClose} />
  return <Choose user={user} onChosen={setPair} onClose={onClose} />
}

function Choose(props: { user: UserDetail; onChosen: (pair: Pair) => void; onClose: () => void }) {
  const { user } = props
  const { t } = useTranslation('console/user-actions')
  const { t: common } = useTranslation()
  const [typed, setTyped] = useState('')
  const [stays, setStays] = useState<number>()
  const { other, problem, isFetching, ask } = useOther(user)
  const kept =
    other && ([user, other].find(({ id }) => id === stays) ?? proposedToStay(user, other))

  const from = kept === user ? other : user
  const lost = other && from ? unmoved(from) : []

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (other && kept && from) props.onChosen({ from, into: kept })
    else ask(typed.trim())
  }
  return (
    <Dialog title={t('merge.title')} onClose={props.onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text>{t('merge.about', { email: user.email })}</Text>
          <TextInput
            label={t('merge.other')}
            value={typed}
            error={problem}
            autoComplete="off"
            spellCheck={false}
            required
            data-autofocus
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value)
              setStays(undefined)
              ask('')
            }}
          />
          {other && kept && <Sides users={[user, other]} kept={kept} onKeep={setStays} />}
          {from && lost.length > 0 && (
            <Notice tone="warning">
              {t('merge.unmoved', { email: from.email, names: lost.join(', ') })}
            </Notice>
          )}
          <DialogActions>
            <Button variant="default" onClick={props.onClose}>
              {common('cancel')}
            </Button>
            <Button
              type="submit"
              loading={isFetching}
              disabled={typed.trim() === '' || lost.length > 0}
            >
              {t(other ? 'merge.next' : 'merge.find')}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

/** The other account, once it is asked for by what a member typed, or why there is none. */
function useOther(user: UserDetail) {
  const { t } = useTranslation('console/user-actions')
  const { t: common } = useTranslation()
  const [asked, ask] = useState('')
  const { data: found, error, isFetching } = useQuery(typedUser(asked))
  const isSame = found?.id === user.id
  let problem: string | undefined
  if (error) problem = problemText(error, common)
  else if (isSame) problem = t('merge.same')
  else if (found === null) problem = t('merge.unknown')
  return { other: found && !isSame ? found : undefined, problem, isFetching, ask }
}

/** Both accounts, of which one is to stay. */
function Sides(props: {
  users: readonly UserDetail[]
  kept: UserDetail
  onKeep: (id: number) => void
}) {
  const { t } = useTranslation('console/user-actions')
  return (
    <Radio.Group
      label={t('merge.stays')}
      value={String(props.kept.id)}
      onChange={(id) => props.onKeep(Number(id))}
    >
      <div className={classes.pair}>
        {props.users.map((user) => (
          <Side key={user.id} user={user} />
        ))}
      </div>
    </Radio.Group>
  )
}

/** What a member compares of one of the accounts. */
function Side({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console/user-actions')
  const { t: user$ } = useTranslation('console/user')
  const currency = useCurrency()
  const services = running(user).map(({ name }) => name)
  return (
    <div className={classes.side}>
      <Radio value={String(user.id)} label={`${user.email} #${user.id}`} />
      <Facts>
        <Fact name={user$('column.state')}>
          <UserState state={user.state} />
        </Fact>
        <Fact name={user$('column.created')}>
          <Moment time={user.created_at} />
        </Fact>
        <Fact name={user$('column.balance')}>
          <Money amount={user.wallet.posted} currency={currency} />
        </Fact>
        <Fact name={user$('wallet.commission')}>
          <Money amount={user.wallet.commission} currency={currency} />
        </Fact>
        <Fact name={t('merge.services')}>{services.join(', ') || '—'}</Fact>
      </Facts>
    </div>
  )
}

function useMerge(): Action<Pair> {
  const { t } = useTranslation('console/user-actions')
  const money = useMoneyText()
  return {
    key: 'merge',
    title: t('merge.title'),
    permission: 'user.merge',
    danger: 'T',
    effect: ({ from, into }) =>
      t('merge.effect', {
        from: from.email,
        into: into.email,
        balance: money(from.wallet.posted),
        commission: money(from.wallet.commission),
        id: from.id,
      }),
    typed: ({ from }) => from.email,
    run: ({ from, into }, { reason }) =>
      staffUserMerge({
        path: { user_id: from.id },
        body: { into_id: into.id, email: from.email, reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ from, into }) => t('merge.done', { from: from.email, into: into.email }),
  }
}
