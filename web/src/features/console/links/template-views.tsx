import { Button, Code, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AuditEntry, LinkPreview, LinkTemplate } from '@/lib/api/gen/staff/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { linkClients } from '../parts/link-clients'
import { Maker } from '../parts/person'
import { differences, laidOver, nearChanges, textOf } from './document'
import classes from './links.module.css'
import { versionsOf } from './resource'

type Shown = { client: string; user: string }

/** The file that a client of a user would get. */
export function Preview(props: {
  query: UseQueryResult<LinkPreview, Error>
  shown: Shown
  onShow: (shown: Shown) => void
}) {
  const { t } = useTranslation('console/link')
  const { shown, onShow } = props
  return (
    <Stack gap="md">
      <Group align="end" gap="sm" grow>
        <NativeSelect
          label={t('column.client')}
          value={shown.client}
          data={linkClients}
          onChange={({ currentTarget }) => onShow({ ...shown, client: currentTarget.value })}
        />
        <TextInput
          label={t('filter.user')}
          inputMode="numeric"
          value={shown.user}
          placeholder={t('view.anybody')}
          onChange={({ currentTarget }) => onShow({ ...shown, user: currentTarget.value.trim() })}
        />
      </Group>
      <Loaded query={props.query} skeleton={<Skeleton height={320} />}>
        {({ body, nodes, left_out: left }) => (
          <>
            <Text size="sm" c="dimmed">
              {t('fetches.nodes', { count: nodes })}
              {left > 0 && ` · ${t('fetches.leftOut', { count: left })}`}
            </Text>
            <Code block tabIndex={0} aria-label={t('view.preview')} className={classes.file}>
              {body}
            </Code>
            <Group>
              <CopyButton text={body} name={t('view.preview')} />
            </Group>
          </>
        )}
      </Loaded>
    </Stack>
  )
}

/** What the document makes of the built-in template. */
export function Differences(props: { builtin: unknown; document: unknown }) {
  const { t } = useTranslation('console/link')
  if (props.document === undefined) return <Text c="dimmed">{t('view.unread')}</Text>
  const after = textOf(laidOver(props.builtin, props.document))
  const lines = nearChanges(differences(textOf(props.builtin), after))
  if (lines.length === 0) return <Text c="dimmed">{t('view.same')}</Text>
  return (
    <Code block tabIndex={0} aria-label={t('view.differences')} className={classes.diff}>
      {lines.map(({ sign, text, number }) => (
        <span key={`${sign}${number}`} data-sign={sign}>
          {sign} {text}
          {'\n'}
        </span>
      ))}
    </Code>
  )
}

const documentIn = (value: unknown) => (value as { document?: unknown } | null)?.document

/** What was published before, to be taken into the editor. */
export function Versions(props: {
  of: Pick<LinkTemplate, 'scope' | 'scope_id'>
  isLocked: boolean
  onTake: (text: string) => void
}) {
  const { t } = useTranslation('console/link')
  const query = useQuery(versionsOf(props.of))
  return (
    <Loaded query={query} skeleton={<Skeleton height={200} />}>
      {(entries) =>
        entries.length === 0 ? (
          <Text c="dimmed">{t('view.noVersions')}</Text>
        ) : (
          <ul className={classes.versions}>
            {entries.map((entry) => (
              <li key={entry.id}>
                <Version entry={entry} {...props} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function Version(props: { entry: AuditEntry; isLocked: boolean; onTake: (text: string) => void }) {
  const { t } = useTranslation('console/link')
  const { entry } = props
  const document = documentIn(entry.after)
  return (
    <>
      <span>
        <Moment time={entry.at} withTime />
        {' · '}
        <Maker id={entry.actor_id} email={entry.actor_email} none={entry.actor_name} />
      </span>
      {document === undefined || document === null ? (
        <Text c="dimmed">{t('view.wasRemoved')}</Text>
      ) : (
        !props.isLocked && (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => props.onTake(textOf(document))}
          >
            {t('view.take')}
          </Button>
        )
      )}
    </>
  )
}
