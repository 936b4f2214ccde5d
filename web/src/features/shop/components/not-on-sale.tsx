import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Notice } from '@/ui/notice'
import page from '../buy-page.module.css'

/** Replaces the bill when the requested plan or period is not on sale. */
export function NotOnSale() {
  const { t } = useTranslation('shop')
  return (
    <Card className={page.aside}>
      <Notice tone="warning">{t('goneChoice')}</Notice>
    </Card>
  )
}
