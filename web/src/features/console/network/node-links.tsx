import { Code, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/ui/copy-button'
import { Loaded } from '@/ui/loaded'
import { Section } from '../parts/section'
import { linkClients } from '../parts/link-clients'
import { linkEntryOf } from './resource'

/** What each client is told of a node, with made-up secrets of a user. */
export function NodeLinks({ id }: { id: string }) {
  const { t } = useTranslation('console/node')
  const [client, setClient] = useState('ClashMeta')
  const query = useQuery(linkEntryOf(id, client))
  return (
    <Section title={t('links.title')}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('links.about')}
        </Text>
        <NativeSelect
          label={t('links.client')}
          value={client}
          data={linkClients}
          onChange={({ currentTarget }) => setClient(currentTarget.value)}
          maw={280}
        />
        <Loaded query={query} skeleton={<Skeleton height={200} />}>
          {({ body, left_out: left }) =>
            left > 0 ? (
              <Text>{t('links.leftOut')}</Text>
            ) : (
              <>
                <Code block tabIndex={0} aria-label={t('links.title')}>
                  {body}
                </Code>
                <Group>
                  <CopyButton text={body} name={t('links.title')} />
                </Group>
              </>
            )
          }
        </Loaded>
      </Stack>
    </Section>
  )
}
