import { Button, Card, Group, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  inviteCodeChangeMutation,
  inviteCodeRemoveMutation,
  inviteCodesOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { InviteCodeItem } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { lazyPart } from '@/lib/lazy-part'
import { problemText } from '@/lib/server-problem'
import { Confirm } from '@/ui/confirm'
import { CopyButton } from '@/ui/copy-button'
import { type Column, DataTable } from '@/ui/data-table'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import classes from './codes.module.css'

const CodeForm = lazyPart(() => import('./code-form'), 'CodeForm')
const PosterDialog = lazyPart(() => import('./poster-dialog'), 'PosterDialog')

/** The user's invite codes with what each brought, and making another one. */
export function Codes() {
  const { t } = useTranslation('invite')
  const { t: common } = useTranslation()
  const currency = useCurrency()
  const queryClient = useQueryClient()
  const codes = useQuery(inviteCodesOptions())
  const [poster, setPoster] = useState<InviteCodeItem>()
  const [isMaking, setMaking] = useState(false)
  const onSettled = () => queryClient.invalidateQueries({ queryKey: inviteCodesOptions().queryKey })
  const change = useMutation({ ...inviteCodeChangeMutation(), onSettled })
  const removal = useRemoval(onSettled)
  const columns = columnsIn(t, currency, {
    poster: setPoster,
    disable: ({ code, is_disabled }) =>
      change.mutate({ path: { code }, body: { is_disabled: !is_disabled } }),
    remove: ({ code }) => removal.ask(code),
  })
  return (
    <Card component="section" aria-labelledby="codes-title" className={classes.card}>
      <h2 id="codes-title" className={classes.title}>
        {t('codes.title')}
      </h2>
      <Loaded query={codes} skeleton={<Skeleton height={120} />}>
        {({ codes: rows, most_codes, least_size }) => (
          <>
            <DataTable
              caption={t('codes.title')}
              columns={columns}
              rows={rows}
              rowKey={({ code }) => code}
            />
            <FormError message={change.error ? problemText(change.error, common) : undefined} />
            {removal.dialog}
            {rows.length <= most_codes && !isMaking && (
              <Button variant="default" className={classes.open} onClick={() => setMaking(true)}>
                {t('codes.own')}
              </Button>
            )}
            {rows.length <= most_codes && isMaking && (
              <Suspense fallback={<Skeleton height={120} />}>
                <CodeForm leastSize={least_size} />
              </Suspense>
            )}
          </>
        )}
      </Loaded>
      {poster && (
        <Suspense>
          <PosterDialog
            invite={{ invite_code: poster.code, invite_link: poster.link }}
            onClose={() => setPoster(undefined)}
          />
        </Suspense>
      )}
    </Card>
  )
}

/** The dialog that asks before a code is removed, and what opens it. */
function useRemoval(onSettled: () => Promise<void>) {
  const { t } = useTranslation('invite')
  // The dialog keeps the code that it was opened for until it has closed.
  const [code, setCode] = useState('')
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({ ...inviteCodeRemoveMutation(), onSettled })
  const ask = (chosen: string) => {
    setCode(chosen)
    setOpen(true)
  }
  const dialog = (
    <Confirm
      opened={isOpen}
      title={t('codes.removeTitle', { code })}
      consequence={t('codes.removeText')}
      action={t('codes.remove')}
      onConfirm={() => remove.mutateAsync({ path: { code } })}
      onClose={() => setOpen(false)}
    />
  )
  return { ask, dialog }
}

type Actions = Record<'poster' | 'disable' | 'remove', (code: InviteCodeItem) => void>

const columnsIn = (
  t: TFunction<'invite'>,
  currency: string,
  act: Actions,
): Column<InviteCodeItem>[] => [
  {
    key: 'code',
    header: t('code'),
    isTitle: true,
    cell: ({ code, label, is_given, is_disabled }) => (
      <>
        <code className={classes.code} data-disabled={is_disabled}>
          {code}
        </code>
        <div className={classes.label}>
          {[label || (is_given && t('codes.given')), is_disabled && t('codes.disabled')]
            .filter(Boolean)
            .join(' · ')}
        </div>
      </>
    ),
  },
  { key: 'signUps', header: t('codes.signUps'), align: 'end', cell: (row) => row.sign_ups },
  { key: 'payers', header: t('codes.payers'), align: 'end', cell: (row) => row.payers },
  {
    key: 'commission',
    header: t('commission.title'),
    align: 'end',
    cell: ({ commission }) => <Money amount={commission} currency={currency} />,
  },
  {
    key: 'action',
    header: t('payout.action'),
    cell: (row) => (
      <Group gap="xs">
        <CopyButton size="xs" text={row.link} name={t('codes.linkOf', { code: row.code })} />
        <Button variant="default" size="xs" onClick={() => act.poster(row)}>
          {t('poster.open')}
        </Button>
        <Button variant="default" size="xs" onClick={() => act.disable(row)}>
          {row.is_disabled ? t('codes.enable') : t('codes.disable')}
        </Button>
        {!row.is_given && row.sign_ups === 0 && (
          <Button variant="default" size="xs" onClick={() => act.remove(row)}>
            {t('codes.remove')}
          </Button>
        )}
      </Group>
    ),
  },
]
