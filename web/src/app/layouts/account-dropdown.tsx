import { Menu, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { type Language, languages, switchLanguage } from '../i18n'
import { lazyPart } from '@/lib/lazy-part'
import type { SignedInUser } from '@/lib/session/token-payload'
import { AccountButton } from './account-button'
import { type Scheme, schemes } from './preference-buttons'

const StaffItem = lazyPart(() => import('./staff-item'), 'StaffItem')

/** What belongs to the person and not to a page: language, appearance, sign-out. */
export function AccountDropdown({ user }: { user: SignedInUser }) {
  const { t, i18n } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { data: me } = useQuery(userGetMeOptions())
  return (
    <Menu
      defaultOpened
      position="top-start"
      width={208}
      shadow="md"
      closeOnItemClick={false}
      withInitialFocusPlaceholder={false}
      // Inside its landmark, so that screen readers meet it next to its button.
      withinPortal={false}
    >
      <Menu.Target>
        <AccountButton user={user} />
      </Menu.Target>
      <Menu.Dropdown>
        {me?.staff_role && (
          <Suspense>
            <StaffItem role={me.staff_role} />
          </Suspense>
        )}
        <Menu.Label>{t('account.language')}</Menu.Label>
        <Menu.RadioGroup
          value={i18n.language}
          onChange={(language) => void switchLanguage(language as Language)}
        >
          {Object.entries(languages).map(([language, label]) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('account.scheme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as Scheme)}
        >
          {(Object.keys(schemes) as Scheme[]).map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {t(`scheme.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
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
