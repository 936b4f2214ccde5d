import { Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Loaded } from '@/ui/loaded'
import { ActionButton } from '../parts/action-runner'
import { Section } from '../parts/section'
import { useNodeActions } from './actions'
import { agentConfigOf } from './resource'
import { thirdParty } from './third-party'

/** What the agent of a node receives, and the lines that third-party agents are set up with. */
export function NodeAgent({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  const secret = useNodeActions().find(({ key }) => key === 'secret')
  const config = useQuery(agentConfigOf(String(node.id)))
  return (
    <>
      <Section title={t('install.title')}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{t('install.again')}</Text>
          {secret && <ActionButton subject={node} action={secret} />}
        </Stack>
      </Section>
      <Section title={t('agent.title')}>
        <Loaded query={config} skeleton={<Skeleton height={200} />}>
          {(read) => <Lines text={JSON.stringify(read.config, null, 2)} name={t('agent.title')} />}
        </Loaded>
      </Section>
      {thirdParty(node, location.origin).map(({ name, file, text }) => (
        <Section key={name} title={name}>
          <Stack gap="xs">
            <Text size="sm" c="dimmed">
              {t('agent.file', { file })}
            </Text>
            <Lines text={text} name={name} />
          </Stack>
        </Section>
      ))}
    </>
  )
}

function Lines({ text, name }: { text: string; name: string }) {
  return (
    <Stack gap="sm">
      <Code block tabIndex={0} aria-label={name} mah={420}>
        {text}
      </Code>
      <Group>
        <CopyButton text={text} name={name} />
      </Group>
    </Stack>
  )
}
