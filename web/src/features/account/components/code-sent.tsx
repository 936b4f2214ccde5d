import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Says where a code was sent; said aloud too, once it was. */
export function CodeSent({ email }: { email: string | undefined }) {
  const { t } = useTranslation('account')
  return (
    <div role="status">
      {email && (
        <Text size="sm" c="dimmed" mt={6}>
          {t('emailCode.sent', { email })}
        </Text>
      )}
    </div>
  )
}
