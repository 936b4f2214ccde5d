import { Menu, type MenuProps, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Check, ChevronsUpDown, LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../session/current-session'
import { type Language, languages, switchLanguage } from '../i18n'
import classes from './account-menu.module.css'
import { schemes } from './preference-buttons'

/** Who is signed in, and what belongs to the person and not to a page: language, appearance, sign-out. */
export function AccountMenu({ position }: { position: NonNullable<MenuProps['position']> }) {
  const { t, i18n } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const session = useSession()
  if (session.status !== 'authenticated') return null
  const { user_name: name, email } = session.user

  return (
    <Menu position={position} width={240} shadow="sm" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={`${t('account.menu')}: ${name}`}>
          <span className={classes.initial} aria-hidden="true">
            {[...name][0]?.toUpperCase()}
          </span>
          <span className={classes.person}>
            <span className={classes.name}>{name}</span>
            <span className={classes.email}>{email}</span>
          </span>
          <ChevronsUpDown size={16} strokeWidth={1.75} aria-hidden="true" />
        </UnstyledButton>
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
        {(Object.keys(schemes) as (keyof typeof schemes)[]).map((scheme) => (
          <Choice
            key={scheme}
            label={t(`scheme.${scheme}`)}
            isChosen={colorScheme === scheme}
            onChoose={() => setColorScheme(scheme)}
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
