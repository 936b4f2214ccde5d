import { Group, Text } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { scrollToTop } from '@/lib/scroll'
import { ButtonLink } from './button-link'

/** To the newer and the older page of a list; `link` gives the address of a page. */
export function PageControl(props: {
  page: number
  pages: number
  link: (page: number) => LinkProps
}) {
  const { t } = useTranslation()
  const { page, pages } = props
  if (pages === 1) return null
  return (
    <Group component="nav" aria-label={t('paging.label')} justify="space-between" py="sm" px="md">
      <Text c="dimmed" size="sm">
        {t('paging.where', { page, pages })}
      </Text>
      <Group gap="xs">
        <ButtonLink
          {...props.link(page - 1)}
          {...look}
          disabled={page <= 1}
          leftSection={<ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('paging.newer')}
        </ButtonLink>
        <ButtonLink
          {...props.link(page + 1)}
          {...look}
          disabled={page >= pages}
          rightSection={<ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('paging.older')}
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
