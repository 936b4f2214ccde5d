import { Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Download, MonitorDown, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { clientsListOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { LinkApp as Client } from '@/api/gen/types.gen'
import { useSiteName } from '@/shared/lib/site-name'
import {
  clientsFor,
  detectPlatform,
  importUrl,
  lastUsedClient,
  openClient,
  rememberClient,
} from '../import-client'
import classes from './import-button.module.css'
import { NotOpenedDialog } from './not-opened-dialog'

const platform = detectPlatform(navigator.userAgent, navigator.maxTouchPoints)

/** One tap for the client that suits this device; its neighbour has all others. */
export function ImportButton(props: { url: string; onShowQr: () => void; onReset: () => void }) {
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
    const isOpened = await openClient(importUrl(client.import_url, props.url, siteName))
    if (!isOpened) setNotOpened(client)
  }

  return (
    <>
      <Button.Group className={classes.group}>
        <Button
          className={classes.main}
          disabled={!first}
          leftSection={<MonitorDown size={18} strokeWidth={1.75} />}
          onClick={() => first && void open(first)}
        >
          {first ? t('importTo', { client: first.name }) : t('import')}
        </Button>
        <Menu position="bottom-end" width={240} shadow="md">
          <Menu.Target>
            <Button
              className={classes.more}
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
                onClick={() => void open(client)}
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
            <Menu.Item
              leftSection={<RotateCcw size={16} strokeWidth={1.75} />}
              onClick={props.onReset}
            >
              {t('reset.open')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
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
