import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { paths } from '@/lib/constants'
import { useSiteName } from '@/lib/site-name'
import { ButtonLink } from './button-link'
import { ContactLinks, useContacts } from './contact'
import classes from './status-page.module.css'

/** A whole page that says what is wrong and offers the one way on. */
export function StatusPage(props: {
  documentTitle?: string // where it is not the title
  caption?: ReactNode
  title: string
  text: string
  action: ReactNode
  children?: ReactNode
}) {
  const siteName = useSiteName()
  return (
    <div className={classes.page}>
      <title>{`${props.documentTitle ?? props.title} · ${siteName}`}</title>
      <Stack gap="md" align="flex-start" maw={440}>
        <Text size="sm" c="dimmed" fw={500}>
          {props.caption}
        </Text>
        <Title order={1} tabIndex={-1}>
          {props.title}
        </Title>
        <Text c="dimmed">{props.text}</Text>
        {props.children}
        {props.action}
        <Help />
      </Stack>
    </div>
  )
}

/** Whom to write to, where somebody is named. */
function Help() {
  const { t } = useTranslation()
  if (!useContacts()) return null
  return (
    <Text size="sm" c="dimmed">
      {t('contact.problem')} <ContactLinks />
    </Text>
  )
}

export function HomeButton() {
  const { t } = useTranslation()
  return <ButtonLink to={paths.dashboard}>{t('backToHome')}</ButtonLink>
}
