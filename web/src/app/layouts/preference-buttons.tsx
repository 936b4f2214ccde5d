import { ActionIcon, Button, useMantineColorScheme } from '@mantine/core'
import { Monitor, Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Language, languages, switchLanguage } from '../i18n'

export const schemes = { light: Sun, dark: Moon, auto: Monitor } as const
export type Scheme = keyof typeof schemes

const schemeAfter: Record<Scheme, Scheme> = { light: 'dark', dark: 'auto', auto: 'light' }

/** Names the other language, in that language. */
export function LanguageButton() {
  const { i18n } = useTranslation()
  const other: Language = i18n.language === 'en' ? 'zh-CN' : 'en'
  return (
    <Button
      variant="subtle"
      color="gray"
      c="dimmed"
      size="sm"
      lang={other}
      onClick={() => void switchLanguage(other)}
    >
      {languages[other]}
    </Button>
  )
}

/** Goes round light, dark, and the system's own. */
export function SchemeButton() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Icon = schemes[colorScheme]
  const label = `${t('account.scheme')}: ${t(`scheme.${colorScheme}`)}`
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="dimmed"
      size={36}
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(schemeAfter[colorScheme])}
    >
      <Icon size={18} strokeWidth={1.75} />
    </ActionIcon>
  )
}
