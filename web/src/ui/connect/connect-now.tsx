import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { clientsListOptions, linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { Loaded } from '@/ui/loaded'
import { WaitForQueries } from '@/ui/wait-for-queries'
import classes from './connect-now.module.css'
import { DownloadLink } from './download-link'
import { GuideLink } from './guide-link'
import { ImportButton } from './import-button'

/**
 * The way on from a purchase: this device's client, and the button that brings the link into it. Both wait for the names
 * of the clients, which would change the button's label and move the line below it.
 */
export function ConnectNow() {
  const { t } = useTranslation('home')
  const link = useQuery(linkTokenGetOptions())
  // The same query as in useClients, which has no state to wait for.
  const clients = useQuery({ ...clientsListOptions(), staleTime: Infinity })
  return (
    <WaitForQueries queries={[link, clients]} skeleton={<Skeleton className={classes.loading} />}>
      <div className={classes.connect}>
        <Loaded query={link} skeleton={<Skeleton height={42} />}>
          {({ url }) => <ImportButton url={url} />}
        </Loaded>
        <p className={classes.hint}>
          {t('notInstalled')} <DownloadLink />
          <GuideLink separator=" · " />
        </p>
      </div>
    </WaitForQueries>
  )
}
