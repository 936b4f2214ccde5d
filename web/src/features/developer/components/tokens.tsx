import { Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  apiTokenRevokeMutation,
  apiTokensListOptions,
  apiTokensListQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { ApiToken } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Confirm } from '@/ui/confirm'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { TokenTable } from './token-table'
import classes from './tokens.module.css'

const NewTokenDialog = lazyPart(() => import('./new-token-dialog'), 'NewTokenDialog')

/** The user's API tokens, with creating and revoking. */
export function Tokens() {
  const { t } = useTranslation('developer')
  const queryClient = useQueryClient()
  const tokens = useQuery(apiTokensListOptions())
  const [isMaking, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<ApiToken>()
  const refetch = () => queryClient.invalidateQueries({ queryKey: apiTokensListQueryKey() })
  const revoke = useMutation({ ...apiTokenRevokeMutation(), onSettled: refetch })
  const make = (
    <Button leftSection={<Plus size={16} strokeWidth={1.75} />} onClick={() => setMaking(true)}>
      {t('tokens.make')}
    </Button>
  )
  return (
    <section aria-label={t('tab.tokens')}>
      <Loaded query={tokens} skeleton={<Skeleton height={180} radius="lg" />} hasCards>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={KeyRound} text={t('tokens.none')} action={make} />
          ) : (
            <>
              <div className={classes.head}>
                <p className={classes.about}>{t('tokens.about')}</p>
                {make}
              </div>
              <TokenTable tokens={list} onRevoke={setLeaving} />
            </>
          )
        }
      </Loaded>
      <Confirm
        opened={leaving !== undefined}
        title={t('tokens.revokeTitle', { name: leaving?.name ?? '' })}
        consequence={t('tokens.revokeText')}
        action={t('tokens.revoke')}
        onConfirm={async () => {
          if (leaving) await revoke.mutateAsync({ path: { token_id: leaving.id } })
        }}
        onClose={() => setLeaving(undefined)}
      />
      <Suspense>
        {isMaking && <NewTokenDialog onMade={refetch} onClose={() => setMaking(false)} />}
      </Suspense>
    </section>
  )
}
