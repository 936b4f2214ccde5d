import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Part } from './components/part'
import { TestPage } from './components/test-page'

/** What a view shows before it can show itself. */
export function Test8Page() {
  const { t } = useTranslation('demo')
  const [actions, setActions] = useState(0)
  return (
    <TestPage name="test8">
      <Part title={t('loadingState')}>
        <Skeleton height={20} width="40%" />
        <Skeleton height={20} />
      </Part>
      <Part title={t('emptyState')}>
        {actions > 0 ? (
          <Text role="status">{t('loaded')}</Text>
        ) : (
          <Empty
            icon={Inbox}
            text={t('emptyText')}
            action={<Button onClick={() => setActions(1)}>{t('emptyAction')}</Button>}
          />
        )}
      </Part>
      <Part title={t('errorState')}>
        <FailsOnce />
      </Part>
    </TestPage>
  )
}

function FailsOnce() {
  const { t } = useTranslation('demo')
  const tries = useRef(0)
  const query = useQuery({
    queryKey: ['demo', 'fails-once'],
    queryFn: () => {
      tries.current += 1
      if (tries.current === 1)
        throw new ApiError(t('problem'), { status: 409, code: 'demo', requestId: 'demo' })
      return true
    },
    retry: false,
    gcTime: 0,
  })
  return (
    <Loaded query={query} skeleton={<Skeleton height={60} />}>
      {() => <Text role="status">{t('loaded')}</Text>}
    </Loaded>
  )
}
