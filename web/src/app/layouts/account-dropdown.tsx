import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Check, LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Language, languages, switchLanguage } from '../i18n'
import type { SignedInUser } from '../session/token-payload'
import { AccountButton } from './account-button'
import { type Scheme, schemes } from './preference-buttons'

/** What belongs to the person and not to a page: language, appearance, sign-out. */
export function AccountDropdown({ user }: { user: SignedInUser }) {
  const { t, i18n } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu defaultOpened position="top-start" width={216} shadow="md">
      <Menu.Target>
        <AccountButton user={user} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.language')}</Menu.Label>
        {Object.entries(languages).map(([language, label]) => (
          <Choice
            key={language}
            label={label}
            isChosen={i18n.language === language}
            onChoose={() => void switchLanguage(language as Language)}
          />
        ))}
        <Menu.Divider />
        <Menu.Label>{t('account.scheme')}</Menu.Label>
        {Object.keys(schemes).map((scheme) => (
          <Choice
            key={scheme}
            label={t(`scheme.${scheme as Scheme}`)}
            isChosen={colorScheme === scheme}
            onChoose={() => setColorScheme(scheme as Scheme)}
          />
        ))}
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to="/auth/sign-out"
          preload={false}
          leftSection={<LogOut size={16} strokeWidth={1.75} />}
        >
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Choice(props: { label: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <Menu.Item
      role="menuitemradio"
      aria-checked={props.isChosen}
      closeMenuOnClick={false}
      rightSection={props.isChosen && <Check size={16} />}
      onClick={props.onChoose}
    >
      {props.label}
    </Menu.Item>
  )
}
