import { Card, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** One part of the design system on a card, under its name. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="md">
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  )
}
