import { Card, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSiteName } from '@/lib/site-name'
import classes from './auth-card.module.css'

/** The one card of an open page: heading, content, and the way to the other page below. */
export function AuthCard(props: {
  documentTitle: string
  heading: string
  about?: string | undefined
  children: ReactNode
  below?: ReactNode
}) {
  const siteName = useSiteName()
  return (
    <Card className={classes.card} padding={0}>
      <title>{`${props.documentTitle} · ${siteName}`}</title>
      <Stack gap="lg">
        <div>
          <Title order={1} tabIndex={-1}>
            {props.heading}
          </Title>
          {props.about && (
            <Text c="dimmed" mt={4}>
              {props.about}
            </Text>
          )}
        </div>
        {props.children}
        {props.below && (
          <Text size="sm" c="dimmed" ta="center">
            {props.below}
          </Text>
        )}
      </Stack>
    </Card>
  )
}
