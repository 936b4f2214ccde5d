import { Card, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { contrastOf, inHueOf, isColour } from '@/lib/accent'
import { siteOptions } from '@/lib/api/site'
import { useSiteName } from '@/lib/site-name'
import type { FormValues } from '../parts/resource-form'
import { SitePicture } from './site-picture'
import classes from './settings.module.css'

/** The built-in accent colour, and the colours of the theme that a page mostly shows, which follow the accent. */
const OURS = '#146f87'
const schemes = {
  light: { ground: '#f7f8fa', text: '#0d5c71', button: '#146f87' },
  dark: { ground: '#12171b', text: '#76bfcf', button: '#146f87' },
} as const

/** How the site looks with what is chosen, before it is saved, and its pictures. */
export function LookPreview({ values }: { values: FormValues }) {
  const { t } = useTranslation('console/system')
  const chosen = String(values.accent ?? '')
  const accent = isColour(chosen) ? chosen : OURS
  return (
    <Card component="section" aria-label={t('look.title')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('look.title')}
      </Text>
      <Stack gap="md">
        <Scheme name="light" accent={accent} values={values} />
        <Scheme name="dark" accent={accent} values={values} />
        <SitePicture name="logo" />
        <SitePicture name="icon" />
      </Stack>
    </Card>
  )
}

function Scheme(props: { name: keyof typeof schemes; accent: string; values: FormValues }) {
  const { t, i18n } = useTranslation('console/system')
  const siteName = useSiteName()
  const { data: site } = useQuery(siteOptions())
  const scheme = schemes[props.name]
  const text = inHueOf(props.accent, scheme.text)
  const button = inHueOf(props.accent, scheme.button)
  const footer = props.values[i18n.language === 'en' ? 'footer_en' : 'footer_zh']
  const ratio = (one: string, other: string) => contrastOf(one, other).toFixed(1)
  return (
    <div
      className={classes.sample}
      style={{ background: scheme.ground, color: props.name === 'dark' ? '#e4e8ec' : '#1b2129' }}
    >
      <Group gap="xs" wrap="nowrap">
        {site?.look.logo_url && (
          <img src={site.look.logo_url} alt="" className={classes.sampleLogo} />
        )}
        <Text fw={600} c="inherit">
          {siteName}
        </Text>
      </Group>
      <Group gap="md">
        <span className={classes.sampleButton} style={{ background: button, color: '#ffffff' }}>
          {t('look.button')}
        </span>
        <span style={{ color: text, textDecoration: 'underline' }}>{t('look.link')}</span>
      </Group>
      <Text size="xs" c="inherit">
        {t('look.contrast', {
          button: ratio(button, '#ffffff'),
          link: ratio(text, scheme.ground),
        })}
      </Text>
      <Text size="xs" c="inherit" className={classes.sampleFooter}>
        {`2020-2025 ${siteName}`}
        {footer && `\n${String(footer)}`}
      </Text>
    </div>
  )
}
