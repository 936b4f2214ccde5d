import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { BookOpen, Download, MonitorDown, RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LinkApp as Client } from '@/lib/api/gen/types.gen'
import { MenuButton } from './menu-button'

export type ClientMenuProps = {
  first: Client | undefined
  others: readonly Client[]
  isQuiet: boolean
  onOpen: (client: Client) => void
  onReset?: (() => void) | undefined
}

/** All other clients for this system, where to get the first, and a new link. */
export function ClientMenu(props: ClientMenuProps) {
  const { t } = useTranslation('home')
  const { first, others } = props
  return (
    <Menu
      defaultOpened
      position="bottom-end"
      width={240}
      shadow="md"
      withInitialFocusPlaceholder={false}
      // Inside the landmark that its button is in.
      portalProps={{ target: '#main' }}
    >
      <Menu.Target>
        <MenuButton isQuiet={props.isQuiet} />
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
        {first?.guide_slug && <GuideItem client={first} />}
        {props.onReset && (
          <>
            <Menu.Divider />
            <Menu.Item
              leftSection={<RotateCcw size={16} strokeWidth={1.75} />}
              onClick={props.onReset}
            >
              {t('reset.open')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function GuideItem({ client }: { client: Client }) {
  const { t } = useTranslation('home')
  return (
    <Menu.Item
      renderRoot={(item) => (
        <Link {...item} to="/user/guides/$slug" params={{ slug: client.guide_slug }} />
      )}
      leftSection={<BookOpen size={16} strokeWidth={1.75} />}
    >
      {t('guide', { client: client.name })}
    </Menu.Item>
  )
}
