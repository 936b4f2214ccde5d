import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useClients } from './use-clients'

/** Where to get the client that the import button names. */
export function DownloadLink() {
  const { t } = useTranslation('home')
  const { first } = useClients()
  if (!first) return null
  return (
    <Anchor href={first.download_url} target="_blank" rel="noreferrer" underline="always" inherit>
      {t('download', { client: first.name })}
    </Anchor>
  )
}
