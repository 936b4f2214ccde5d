import { Button, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '@/ui/confirm'
import { FormDone } from '@/ui/form-done'
import { useResetLink } from '../use-reset-link'

const kinds = ['link', 'both'] as const

/** Two resets, each with its price in words, and asked for twice. */
export function ResetChoice() {
  const { t } = useTranslation('home')
  const [asked, setAsked] = useState<(typeof kinds)[number]>()
  const reset = useResetLink()
  const ask = (kind: (typeof kinds)[number]) => {
    reset.begin()
    setAsked(kind)
  }
  return (
    <div>
      <FormDone message={reset.isSuccess ? t('resetPage.done') : undefined} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" mt={reset.isSuccess ? 'lg' : undefined}>
        {kinds.map((kind) => (
          <Card key={kind}>
            <Stack h="100%" gap="sm" align="flex-start">
              <Title order={2} size="h3">
                {t(`resetPage.${kind}`)}
              </Title>
              <Text c="dimmed" flex={1}>
                {t(`resetPage.${kind}Text`)}
              </Text>
              <Button
                variant={kind === 'both' ? 'filled' : 'default'}
                color={kind === 'both' ? 'red' : undefined}
                onClick={() => ask(kind)}
              >
                {t(`resetPage.${kind}Button`)}
              </Button>
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
      {kinds.map((kind) => (
        <Confirm
          key={kind}
          opened={asked === kind}
          title={t(`resetPage.${kind}Confirm`)}
          consequence={t(`resetPage.${kind}Text`)}
          action={t(`resetPage.${kind}Button`)}
          onConfirm={() => reset.mutateAsync(kind === 'both')}
          onClose={() => setAsked(undefined)}
        />
      ))}
    </div>
  )
}
