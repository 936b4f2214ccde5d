import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Notice } from '@/ui/notice'
import page from '../buy-page.module.css'

/** In the place of the bill where what was asked for is not on offer. */
export function Gone() {
  const { t } = useTranslation('shop')
  return (
    <Card className={page.aside}>
      <Notice tone="warning">{t('goneChoice')}</Notice>
    </Card>
  )
}
