import { Badge, Button, Card, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeySquare } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  accountPasskeyRemoveMutation,
  accountPasskeysOptions,
  accountPasskeysQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PasskeyResult } from '@/lib/api/gen/types.gen'
import { Confirm } from '@/ui/confirm'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Outline } from '@/ui/outline'
import { hasPasskeys } from '@/lib/passkey'
import { AddPasskeyDialog } from './add-passkey-dialog'
import { RenamePasskeyDialog } from './rename-passkey-dialog'
import classes from './sessions.module.css'

/** The passkeys of the account: add, rename, remove. Whether a code is needed for it may be unknown yet. */
export function Passkeys({ needsCode }: { needsCode: boolean | undefined }) {
  const passkeys = useQuery(accountPasskeysOptions())
  const outline = (
    <Outline>
      <List passkeys={[]} needsCode={false} />
    </Outline>
  )
  return (
    <Loaded query={passkeys} skeleton={outline} hasCards>
      {(list) =>
        needsCode === undefined ? outline : <List passkeys={list} needsCode={needsCode} />
      }
    </Loaded>
  )
}

function List(props: { passkeys: readonly PasskeyResult[]; needsCode: boolean }) {
  const { t } = useTranslation('passkey')
  const queryClient = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<PasskeyResult>()
  const [leaving, setLeaving] = useState<PasskeyResult>()
  const remove = useMutation({
    ...accountPasskeyRemoveMutation(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accountPasskeysQueryKey() }),
  })
  return (
    <Card padding={0}>
      <ul className={classes.list} aria-label={t('title')}>
        {props.passkeys.map((passkey) => (
          <Passkey
            key={passkey.id}
            passkey={passkey}
            onRename={() => setRenaming(passkey)}
            onRemove={() => setLeaving(passkey)}
          />
        ))}
      </ul>
      <div className={classes.foot}>
        {props.passkeys.length === 0 && (
          <Text size="sm" c="dimmed" mb="sm">
            {t('about')}
          </Text>
        )}
        {hasPasskeys() ? (
          <Button variant="default" size="sm" onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        ) : (
          <Text size="sm">{t('problem.unsupported')}</Text>
        )}
      </div>
      {isAdding && (
        <AddPasskeyDialog needsCode={props.needsCode} onClose={() => setAdding(false)} />
      )}
      {renaming && (
        <RenamePasskeyDialog passkey={renaming} onClose={() => setRenaming(undefined)} />
      )}
      <Confirm
        opened={leaving !== undefined}
        title={t('removeTitle', { name: leaving?.name })}
        consequence={t('removeText')}
        action={t('remove')}
        onConfirm={async () => {
          if (leaving) await remove.mutateAsync({ path: { passkey_id: leaving.id } })
        }}
        onClose={() => setLeaving(undefined)}
      />
    </Card>
  )
}

function Passkey(props: { passkey: PasskeyResult; onRename: () => void; onRemove: () => void }) {
  const { t } = useTranslation('passkey')
  const { name, is_disabled, created_at, last_used_at } = props.passkey
  return (
    <li className={classes.session} data-wraps>
      <KeySquare size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <div className={classes.device}>
          {name}
          {is_disabled && (
            <Badge variant="light" color="red" tt="none">
              {t('disabled')}
            </Badge>
          )}
        </div>
        {is_disabled && <p className={classes.text}>{t('disabledText')}</p>}
        <p className={classes.text}>
          {t('created')}
          <Moment time={created_at} />
          {' · '}
          {last_used_at ? t('used') : t('neverUsed')}
          {last_used_at && <Moment time={last_used_at} withTime />}
        </p>
      </div>
      <div className={classes.actions}>
        <Button
          variant="subtle"
          size="sm"
          aria-label={t('renameTitle', { name })}
          onClick={props.onRename}
        >
          {t('rename')}
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="sm"
          aria-label={t('removeTitle', { name })}
          onClick={props.onRemove}
        >
          {t('remove')}
        </Button>
      </div>
    </li>
  )
}
