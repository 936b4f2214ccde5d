import { Group, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { scrollToTop } from '@/shared/lib/scroll'
import { ButtonLink } from '@/shared/ui/button-link'
import { pagesOf } from '../model'

const route = getRouteApi('/user/wallet/')

/** To the newer and the older page; the page stands in the address. */
export function PageControl({ page, total }: { page: number; total: number }) {
  const { t } = useTranslation('wallet')
  const { tab } = route.useSearch()
  const pages = pagesOf(total)
  if (pages === 1) return null
  return (
    <Group component="nav" aria-label={t('pages')} justify="space-between" p="sm" pl="lg">
      <Text c="dimmed" size="sm">
        {t('pageOf', { page, pages })}
      </Text>
      <Group gap="xs">
        <ButtonLink
          size="sm"
          variant="default"
          to="/user/wallet"
          search={{ tab, page: page - 1 }}
          disabled={page <= 1}
          resetScroll={false}
          onClick={scrollToTop}
          leftSection={<ChevronLeft size={16} strokeWidth={1.75} />}
        >
          {t('newer')}
        </ButtonLink>
        <ButtonLink
          size="sm"
          variant="default"
          to="/user/wallet"
          search={{ tab, page: page + 1 }}
          disabled={page >= pages}
          resetScroll={false}
          onClick={scrollToTop}
          rightSection={<ChevronRight size={16} strokeWidth={1.75} />}
        >
          {t('older')}
        </ButtonLink>
      </Group>
    </Group>
  )
}
