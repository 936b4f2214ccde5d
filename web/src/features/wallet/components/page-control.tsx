import { Group, Text } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { scrollToTop } from '@/shared/lib/scroll'
import { ButtonLink } from '@/shared/ui/button-link'
import { pagesOf } from '../model'

/** To the newer and the older page; `link` gives the address of a page. */
export function PageControl(props: {
  page: number
  total: number
  link: (page: number) => LinkProps
}) {
  const { t } = useTranslation('wallet')
  const { page } = props
  const pages = pagesOf(props.total)
  if (pages === 1) return null
  return (
    <Group component="nav" aria-label={t('pages')} justify="space-between" p="sm" pl="lg">
      <Text c="dimmed" size="sm">
        {t('pageOf', { page, pages })}
      </Text>
      <Group gap="xs">
        <ButtonLink
          {...props.link(page - 1)}
          {...look}
          disabled={page <= 1}
          leftSection={<ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('newer')}
        </ButtonLink>
        <ButtonLink
          {...props.link(page + 1)}
          {...look}
          disabled={page >= pages}
          rightSection={<ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('older')}
        </ButtonLink>
      </Group>
    </Group>
  )
}

const look = {
  size: 'sm',
  variant: 'default',
  resetScroll: false,
  onClick: scrollToTop,
} as const
