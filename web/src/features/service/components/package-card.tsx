import { Card, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PackageItem } from '@/api/gen/types.gen'
import { daysUntil } from '@/shared/lib/time'
import { Moment } from '@/shared/ui/moment'
import classes from './card.module.css'
import { Usage } from './usage'

export function PackageCard({ item, now }: { item: PackageItem; now: number }) {
  const { t } = useTranslation('service')
  return (
    <Card component="article" aria-label={item.name} className={classes.card}>
      <Title order={3} size="h3">
        {item.name}
      </Title>
      <Usage used={item.used_bytes} quota={item.bytes} />
      <p className={classes.quiet}>
        {item.expires_at ? (
          <>
            {t('ends')} {t('inDays', { count: daysUntil(item.expires_at, now) })} ·{' '}
            <Moment time={item.expires_at} />
          </>
        ) : (
          t('untilUsed')
        )}
      </p>
    </Card>
  )
}
