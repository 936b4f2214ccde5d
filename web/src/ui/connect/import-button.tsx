import { Button } from '@mantine/core'
import { MonitorDown } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LinkApp as Client } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { copyText } from '@/lib/copy'
import { useSiteName } from '@/lib/site-name'
import { importUrl, isPastedByHand, openClient } from './import-client'
import type { ClientMenuProps } from './client-menu'
import classes from './import-button.module.css'
import { MenuButton } from './menu-button'
import { useClients } from './use-clients'

const ClientMenu = lazyPart(() => import('./client-menu'), 'ClientMenu')
const NotOpenedDialog = lazyPart(() => import('./not-opened-dialog'), 'NotOpenedDialog')

/** One tap for the client that suits this device; its neighbour has all others. */
export function ImportButton(props: {
  url: string
  isQuiet?: boolean
  onShowQr?: () => void
  onReset?: () => void
}) {
  const { t } = useTranslation('home')
  const siteName = useSiteName()
  const { isQuiet = false } = props
  const { first, others, prefer } = useClients()
  const [notOpened, setNotOpened] = useState<Client>()

  const open = async (client: Client) => {
    prefer(client)
    if (isPastedByHand(client)) await copyText(props.url)
    else if (await openClient(importUrl(client.import_url, props.url, siteName))) return
    setNotOpened(client)
  }

  return (
    <>
      <Button.Group className={classes.group}>
        <Button
          className={classes.main}
          variant={isQuiet ? 'default' : 'filled'}
          disabled={!first}
          leftSection={<MonitorDown size={18} strokeWidth={1.75} />}
          onClick={() => first && void open(first)}
        >
          {first ? t('importTo', { client: first.name }) : t('import')}
        </Button>
        <OtherClients
          first={first}
          isQuiet={isQuiet}
          others={others}
          onOpen={(client) => void open(client)}
          onReset={props.onReset}
        />
      </Button.Group>
      <Suspense>
        {notOpened && (
          <NotOpenedDialog
            client={notOpened}
            url={props.url}
            onShowQr={props.onShowQr}
            onClose={() => setNotOpened(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

function OtherClients(props: ClientMenuProps) {
  const [isWanted, setWanted] = useState(false)
  const button = <MenuButton isQuiet={props.isQuiet} onClick={() => setWanted(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <ClientMenu {...props} />
    </Suspense>
  )
}
