import { Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** What a user can quote to support. */
export function RequestId({ id }: { id: string | undefined }) {
  const { t } = useTranslation()
  if (!id) return null
  return (
    <Text size="xs" c="dimmed">
      {t('requestId')} <Code>{id}</Code>
    </Text>
  )
}
