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
import type { Typed, useTyped } from '../parts/use-typed'
import { UserState } from './columns'
import { useHindrances } from './merge-hindrances'
import { type Pair, pairOf, running, typedUser } from './merge-pair'
import classes from './users.module.css'

/**
 * Finds the other account of a person, shows both, and asks which one stays; then it confirms. Closed without a merge, both
 * steps open again with what was typed into them.
 */
export function MergeDialog(props: {
  user: UserDetail
  typed: ReturnType<typeof useTyped>
  onClose: () => void
}) {
  const { user, typed, onClose } = props
  const [pair, setPair] = useState<Pair>()
  const choice = typed('merge-choice')
  const action = useMerge(() => choice.keep({}))
  if (pair)
    return (
      <ActionQuestion subject={pair} action={action} typed={typed('merge')} onClose={onClose} />
    )
  return <Choose user={user} choice={choice} onChosen={setPair} onClose={onClose} />
}

function Choose(props: {
  user: UserDetail
  choice: Typed
  onChosen: (pair: Pair) => void
  onClose: () => void
}) {
  const { user } = props
  const { t } = useTranslation('console/user-actions')
  const { t: common } = useTranslation()
  const { typed, type, setStays, pair, problem, isFetching, ask, keep } = useChoice(props)
  const { hindrances, isKnown } = useHindrances(pair)
  const close = () => {
    keep()
    props.onClose()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!pair) return ask(typed.trim())
    if (hindrances.length > 0 || !isKnown) return
    keep()
    props.onChosen(pair)
  }
  return (
    <Dialog title={t('merge.title')} onClose={close}>
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
            onChange={({ currentTarget }) => type(currentTarget.value)}
          />
          {pair && <Sides user={user} pair={pair} onKeep={setStays} />}
          {hindrances.map((hindrance) => (
            <Notice key={hindrance} tone="warning">
              {hindrance}
            </Notice>
          ))}
          <DialogActions>
            <Button variant="default" onClick={close}>
              {common('cancel')}
            </Button>
            <Button
              type="submit"
              loading={isFetching || !isKnown}
              disabled={typed.trim() === '' || hindrances.length > 0}
            >
              {t(pair ? 'merge.next' : 'merge.find')}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

/** What is chosen of both accounts. It begins as it was kept. */
function useChoice({ user, choice }: { user: UserDetail; choice: Typed }) {
  const [typed, setTyped] = useState(String(choice.values.other ?? ''))
  const [stays, setStays] = useState(Number(choice.values.stays ?? 0))
  const { other, problem, isFetching, ask } = useOther(user, typed.trim())
  const type = (text: string) => {
    setTyped(text)
    setStays(0)
    ask('')
  }
  const keep = () => choice.keep({ other: typed, stays: String(stays) })
  const pair = other && pairOf(user, other, stays)
  return { typed, type, setStays, pair, problem, isFetching, ask, keep }
}

/** The other account, once it is asked for by what a member typed, or why there is none. */
function useOther(user: UserDetail, first: string) {
  const { t } = useTranslation('console/user-actions')
  const { t: common } = useTranslation()
  const [asked, ask] = useState(first)
  const { data: found, error, isFetching } = useQuery(typedUser(asked))
  const isSame = found?.id === user.id
  let problem: string | undefined
  if (error) problem = problemText(error, common)
  else if (isSame) problem = t('merge.same')
  else if (found === null) problem = t('merge.unknown')
  return { other: found && !isSame ? found : undefined, problem, isFetching, ask }
}

/** Both accounts, that of the page first, of which one is to stay. */
function Sides(props: { user: UserDetail; pair: Pair; onKeep: (id: number) => void }) {
  const { user, pair } = props
  const { t } = useTranslation('console/user-actions')
  const users = user.id === pair.from.id ? [pair.from, pair.into] : [pair.into, pair.from]
  return (
    <Radio.Group
      label={t('merge.stays')}
      value={String(pair.into.id)}
      onChange={(id) => props.onKeep(Number(id))}
    >
      <div className={classes.pair}>
        {users.map((one) => (
          <Side key={one.id} user={one} />
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
      <Radio value={String(user.id)} label={nameOf(user)} />
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

const nameOf = ({ email, id }: UserDetail) => `${email} #${id}`

function useMerge(onMerged: () => void): Action<Pair> {
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
    // Named as the server's problems name them.
    fields: ({ from, into }) => [
      { name: 'email', label: t('merge.ends'), kind: 'shown', initial: nameOf(from) },
      { name: 'into_id', label: t('merge.into'), kind: 'shown', initial: nameOf(into) },
    ],
    typed: ({ from }) => from.email,
    run: async ({ from, into }, { reason }) => {
      await staffUserMerge({
        path: { user_id: from.id },
        body: { into_id: into.id, email: from.email, reason: String(reason) },
        throwOnError: true,
      })
      onMerged()
    },
    done: ({ from, into }) => t('merge.done', { from: from.email, into: into.email }),
  }
}
