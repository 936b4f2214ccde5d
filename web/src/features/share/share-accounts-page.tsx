import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { OwnBan, UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { ShareCard } from './components/share-card'
import { shares as sharesQuery } from './queries'
import classes from './share.module.css'

/** Accounts of third-party services that the user's plan includes. */
export function ShareAccountsPage() {
  const { t } = useTranslation('share')
  const shares = useQuery(sharesQuery())
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <OwnBan />
      <Loaded query={shares} skeleton={<ListSkeleton />} hasCards>
        {({ available_accounts: list }) =>
          list.length === 0 ? (
            <Card>
              <Empty
                icon={KeyRound}
                text={t('empty')}
                action={
                  <UnlessBanned>
                    <ButtonLink to="/user/services/buy">{t('plans')}</ButtonLink>
                  </UnlessBanned>
                }
              />
            </Card>
          ) : (
            <div className={classes.list}>
              {list.map((share) => (
                <ShareCard key={share.account_id} share={share} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function ListSkeleton() {
  return (
    <div className={classes.list}>
      <Skeleton height={220} radius="lg" />
      <Skeleton height={220} radius="lg" />
    </div>
  )
}
