import { Group, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { scrollToTop } from '@/lib/scroll'
import { ButtonLink } from '@/ui/button-link'
import { PAGE_SIZE } from '../activity-query'

/** To the newer and the older page; the page is in the address. */
export function ActivityPages({ page, total }: { page: number; total: number }) {
  const { t } = useTranslation('security')
  const pages = Math.ceil(total / PAGE_SIZE)
  if (pages <= 1) return null
  return (
    <Group component="nav" aria-label={t('activity.pages')} justify="space-between" pt="md">
      <Text c="dimmed" size="sm">
        {t('activity.pageOf', { page, pages })}
      </Text>
      <Group gap="xs">
        <ButtonLink
          size="sm"
          variant="default"
          to="/user/account/activity"
          search={{ page: page - 1 }}
          resetScroll={false}
          onClick={scrollToTop}
          disabled={page <= 1}
          leftSection={<ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('activity.newer')}
        </ButtonLink>
        <ButtonLink
          size="sm"
          variant="default"
          to="/user/account/activity"
          search={{ page: page + 1 }}
          resetScroll={false}
          onClick={scrollToTop}
          disabled={page >= pages}
          rightSection={<ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('activity.older')}
        </ButtonLink>
      </Group>
    </Group>
  )
}
