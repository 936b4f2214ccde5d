import { Button, Card, Group, SegmentedControl, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { UploadCloud } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffLinkTemplateSet } from '@/lib/api/gen/staff/sdk.gen'
import type { LinkTemplate } from '@/lib/api/gen/staff/types.gen'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { draftOf } from '../parts/draft'
import { useMay } from '../parts/permissions'
import { CodeArea } from './code-area'
import { readDocument, textOf } from './document'
import classes from './links.module.css'
import { affectedBy, previewOf, templatesQuery } from './resource'
import { Differences, Preview, Versions } from './template-views'
import { useScopeName } from './templates-page'

type Of = Pick<LinkTemplate, 'scope' | 'scope_id'>

const CHECK_AFTER_MS = 600

const findIn = (all: { templates: LinkTemplate[] }, of: Of) =>
  all.templates.find(({ scope, scope_id: id }) => scope === of.scope && id === of.scope_id)

/** What one types, with what is published: the version that one began with goes along when it is published. */
function useDraft(of: Of, published: LinkTemplate | undefined) {
  const [stored] = useState(() => draftOf(`link-template:${of.scope}/${of.scope_id}`))
  const [base, setBase] = useState({
    version: published?.version ?? '0',
    text: textOf(published?.document),
  })
  const [text, setText] = useState(() => String(stored.read().text ?? base.text))
  const change = (now: string) => {
    setText(now)
    if (now === base.text) stored.drop()
    else stored.keep({ text: now })
  }
  const settle = (now: LinkTemplate | undefined) => {
    stored.drop()
    setBase({ version: now?.version ?? '0', text: textOf(now?.document) })
    setText(textOf(now?.document))
  }
  return { base, text, change, settle }
}

type View = 'preview' | 'differences' | 'versions'

/** The document as one types it, checked against what clients publish, beside what comes of it. */
export function TemplateEditor(props: {
  of: Of
  builtin: unknown
  published: LinkTemplate | undefined
}) {
  const { t } = useTranslation('console/link')
  const { of } = props
  const may = useMay()
  const mayWrite = may('link.template.write')
  const draft = useDraft(of, props.published)
  const [shown, setShown] = useState({ client: 'ClashMeta', user: '' })
  const [checked] = useDebouncedValue(draft.text, CHECK_AFTER_MS)
  const read = readDocument(checked)
  const document = 'document' in read ? read.document : undefined
  const preview = useQuery({
    ...previewOf({
      client_type: shown.client,
      document: document ?? {},
      ...of,
      ...(Number(shown.user) > 0 && { user_id: Number(shown.user) }),
    }),
    enabled: document !== undefined,
  })
  return (
    <div className={classes.editor}>
      <Card component="section" aria-label={t('editor.title')}>
        <Text size="sm" c="dimmed" mb="sm">
          {t('editor.about')}
        </Text>
        <CodeArea
          label={t('editor.title')}
          text={draft.text}
          isLocked={!mayWrite}
          onChange={draft.change}
        />
        <Verdict
          isWaiting={checked !== draft.text || preview.isFetching}
          problem={'problem' in read ? read.problem : undefined}
          error={preview.error}
        />
        {mayWrite && <Publish of={of} draft={draft} />}
      </Card>
      <Views
        preview={<Preview query={preview} shown={shown} onShow={setShown} />}
        differences={<Differences builtin={props.builtin} document={document} />}
        {...(may('audit.read') && {
          versions: <Versions of={of} isLocked={!mayWrite} onTake={draft.change} />,
        })}
      />
    </div>
  )
}

/** What comes of the document, one at a time. */
function Views(views: Partial<Record<View, ReactNode>>) {
  const { t } = useTranslation('console/link')
  const [view, setView] = useState<View>('preview')
  const names = (['preview', 'differences', 'versions'] as const).filter(
    (name) => views[name] !== undefined,
  )
  return (
    <Card component="section" aria-label={t(`view.${view}`)}>
      <SegmentedControl
        size="sm"
        mb="md"
        aria-label={t('view.title')}
        value={view}
        onChange={setView}
        data={names.map((value) => ({ value, label: t(`view.${value}`) }))}
      />
      {views[view]}
    </Card>
  )
}

/** Whether clients could read what is typed, and if not, why. */
function Verdict(props: { isWaiting: boolean; problem: string | undefined; error: unknown }) {
  const { t } = useTranslation('console/link')
  const { t: common } = useTranslation()
  const { error, problem } = props
  const fields = error instanceof ApiError ? error.fields : []
  const word = () => {
    if (problem !== undefined)
      return <StatusDot tone="error">{t('editor.noJson', { problem })}</StatusDot>
    if (props.isWaiting) return <StatusDot tone="neutral">{t('editor.checking')}</StatusDot>
    if (fields.length > 0)
      return fields.map(({ field, message }) => (
        <div key={field}>
          <StatusDot tone="error">
            {field}: {message}
          </StatusDot>
        </div>
      ))
    if (error) return <StatusDot tone="error">{problemText(error, common)}</StatusDot>
    return <StatusDot tone="success">{t('editor.valid')}</StatusDot>
  }
  return (
    <div role="status" className={classes.verdict}>
      {word()}
    </div>
  )
}

type Draft = ReturnType<typeof useDraft>

function Publish({ of, draft }: { of: Of; draft: Draft }) {
  const { t } = useTranslation('console/link')
  const client = useQueryClient()
  const nameOf = useScopeName()
  const { data: users } = useQuery(affectedBy(of))
  const { base, text } = draft
  const publish: Action<Of> = {
    key: 'publish',
    icon: UploadCloud,
    title: t('editor.publish'),
    permission: 'link.template.write',
    danger: 'C',
    effect: () =>
      users === undefined
        ? t('editor.publishNow')
        : t('editor.publishEffect', { name: nameOf(of), count: users }),
    run: async () => {
      const read = readDocument(text)
      if ('problem' in read)
        throw new ApiError(t('editor.noJson', read), { status: 422, code: 'invalid_input' })
      await staffLinkTemplateSet({
        path: of,
        headers: { 'If-Match': `"${base.version}"` },
        body: { document: read.document },
        throwOnError: true,
      })
      draft.settle(findIn(await client.fetchQuery({ ...templatesQuery(), staleTime: 0 }), of))
    },
    done: () => t('editor.published'),
  }
  const isChanged = text !== base.text
  return (
    <Group justify="flex-end" mt="md">
      {isChanged && (
        <Button variant="subtle" color="gray" size="sm" onClick={() => draft.change(base.text)}>
          {t('editor.discard')}
        </Button>
      )}
      <ActionButton subject={of} action={publish} isPrimary />
    </Group>
  )
}
