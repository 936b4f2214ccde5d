import { Card } from '@mantine/core'
import { PackageX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'

/** Shown when the address names a service that the user does not have. */
export function NoService() {
  const { t } = useTranslation('shop')
  return (
    <Card>
      <Empty
        icon={PackageX}
        text={t('noService')}
        action={<ButtonLink to="/user/services">{t('old.mine')}</ButtonLink>}
      />
    </Card>
  )
}
