import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { Loaded } from '@/ui/loaded'
import classes from './connect-now.module.css'
import { DownloadLink } from './download-link'
import { GuideLink } from './guide-link'
import { ImportButton } from './import-button'

/** The way on from a purchase: this device's client, and the button that brings the link into it. */
export function ConnectNow() {
  const { t } = useTranslation('home')
  const link = useQuery(linkTokenGetOptions())
  return (
    <div className={classes.connect}>
      <Loaded query={link} skeleton={<Skeleton height={42} />}>
        {({ url }) => <ImportButton url={url} />}
      </Loaded>
      <p className={classes.hint}>
        {t('notInstalled')} <DownloadLink />
        <GuideLink separator=" · " />
      </p>
    </div>
  )
}
