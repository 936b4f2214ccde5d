import { Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Download, MonitorDown, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { clientsListOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { LinkApp as Client } from '@/api/gen/types.gen'
import { copyText } from '@/shared/lib/copy'
import { useSiteName } from '@/shared/lib/site-name'
import {
  clientsFor,
  detectPlatform,
  importUrl,
  isPastedByHand,
  lastUsedClient,
  openClient,
  rememberClient,
} from '../import-client'
import classes from './import-button.module.css'
import { NotOpenedDialog } from './not-opened-dialog'

const platform = detectPlatform(navigator.userAgent, navigator.maxTouchPoints)

/** One tap for the client that suits this device; its neighbour has all others. */
export function ImportButton(props: {
  url: string
  isQuiet: boolean
  onShowQr: () => void
  onReset: () => void
}) {
  const { t } = useTranslation('home')
  const siteName = useSiteName()
  const { data: clients = [] } = useQuery({ ...clientsListOptions(), staleTime: Infinity })
  const [lastUsed, setLastUsed] = useState(lastUsedClient)
  const [notOpened, setNotOpened] = useState<Client>()
  const fitting = clientsFor(clients, platform, lastUsed)
  const [first, ...others] = fitting

  const open = async (client: Client) => {
    rememberClient(client.id)
    setLastUsed(client.id)
    if (isPastedByHand(client)) await copyText(props.url)
    else if (await openClient(importUrl(client.import_url, props.url, siteName))) return
    setNotOpened(client)
  }

  return (
    <>
      <Button.Group className={classes.group}>
        <Button
          className={classes.main}
          variant={props.isQuiet ? 'default' : 'filled'}
          disabled={!first}
          leftSection={<MonitorDown size={18} strokeWidth={1.75} />}
          onClick={() => first && void open(first)}
        >
          {first ? t('importTo', { client: first.name }) : t('import')}
        </Button>
        <ClientMenu
          first={first}
          isQuiet={props.isQuiet}
          others={others}
          onOpen={(client) => void open(client)}
          onReset={props.onReset}
        />
      </Button.Group>
      {notOpened && (
        <NotOpenedDialog
          client={notOpened}
          url={props.url}
          onShowQr={props.onShowQr}
          onClose={() => setNotOpened(undefined)}
        />
      )}
    </>
  )
}

function ClientMenu(props: {
  first: Client | undefined
  isQuiet: boolean
  others: readonly Client[]
  onOpen: (client: Client) => void
  onReset: () => void
}) {
  const { t } = useTranslation('home')
  const { first, others } = props
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <Button
          className={classes.more}
          variant={props.isQuiet ? 'default' : 'filled'}
          aria-label={t('otherClients')}
          title={t('otherClients')}
        >
          <ChevronDown size={18} strokeWidth={1.75} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.length > 0 && <Menu.Label>{t('otherClients')}</Menu.Label>}
        {others.map((client) => (
          <Menu.Item
            key={client.id}
            leftSection={<MonitorDown size={16} strokeWidth={1.75} />}
            onClick={() => props.onOpen(client)}
          >
            {client.name}
          </Menu.Item>
        ))}
        {first && (
          <Menu.Item
            component="a"
            href={first.download_url}
            target="_blank"
            rel="noreferrer"
            leftSection={<Download size={16} strokeWidth={1.75} />}
          >
            {t('download', { client: first.name })}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<RotateCcw size={16} strokeWidth={1.75} />} onClick={props.onReset}>
          {t('reset.open')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
