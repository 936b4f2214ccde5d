import { Button, Card, Code, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { staffMailTemplateTest } from '@/lib/api/gen/staff/sdk.gen'
import type { MailTemplateResult, MailTemplateText } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { StatusDot } from '@/ui/status-dot'
import { toast } from '@/ui/toast'
import { useMay } from '../parts/permissions'
import type { FormValues } from '../parts/resource-form'
import { Letter } from './letter'
import classes from './mail.module.css'
import { mailPreviewOf } from './resources'

const PREVIEW_AFTER_MS = 400

export const textOf = (values: FormValues): MailTemplateText => ({
  subject: String(values.subject),
  body: String(values.body),
})

const views = ['preview', 'variables', 'builtinText'] as const

/** What comes of a text: the mail with example data, the variables that it may have, the built-in text. */
export function TemplateViews(props: { template: MailTemplateResult; values: MailTemplateText }) {
  const { t } = useTranslation('console/mail')
  const { template } = props
  const [view, setView] = useState<(typeof views)[number]>('preview')
  const { subject, body } = props.values
  return (
    <Card component="section" aria-label={t(`templates.${view}`)}>
      <SegmentedControl
        size="sm"
        mb="md"
        aria-label={t('templates.view')}
        value={view}
        onChange={setView}
        data={views.map((value) => ({ value, label: t(`templates.${value}`) }))}
      />
      {view === 'preview' && <Preview template={template} values={{ subject, body }} />}
      {view === 'variables' && <Variables template={template} />}
      {view === 'builtinText' && <Builtin template={template} values={{ subject, body }} />}
    </Card>
  )
}

function Preview(props: { template: MailTemplateResult; values: MailTemplateText }) {
  const { t: common } = useTranslation()
  const { kind, lang } = props.template
  const [values] = useDebouncedValue(props.values, PREVIEW_AFTER_MS)
  const query = useQuery(mailPreviewOf(kind, lang, values))
  const { error } = query
  const fields = error instanceof ApiError ? error.fields : []
  return (
    <Stack gap="sm">
      {error &&
        (fields.length > 0
          ? fields.map((field) => field.message)
          : [problemText(error, common)]
        ).map((message) => (
          <StatusDot key={message} tone="error">
            {message}
          </StatusDot>
        ))}
      {query.data ? <Letter {...query.data} /> : !error && <Skeleton height={320} />}
      {query.data && !error && <TestButton {...props} />}
    </Stack>
  )
}

/** No action with a dialog: within the page's form that would save it. */
function TestButton(props: { template: MailTemplateResult; values: MailTemplateText }) {
  const { t } = useTranslation('console/mail')
  const { t: common } = useTranslation()
  const may = useMay()
  const { kind, lang } = props.template
  const test = useMutation({
    mutationFn: () =>
      staffMailTemplateTest({ path: { kind, lang }, body: props.values, throwOnError: true }),
    onSuccess: () => toast('success', t('templates.testDone')),
  })
  if (!may('mail.template.write')) return null
  return (
    <div>
      <Button
        variant="default"
        size="sm"
        leftSection={<Send size={16} strokeWidth={1.75} aria-hidden="true" />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('templates.test')}
      </Button>
      <FormError message={test.error ? problemText(test.error, common) : undefined} />
    </div>
  )
}

function Variables({ template }: { template: MailTemplateResult }) {
  const { t } = useTranslation('console/mail')
  return (
    <ul className={classes.variables}>
      {template.variables.map((one) => (
        <li key={one.name}>
          <Code>{`{{${one.name}}}`}</Code>{' '}
          <Text span size="sm">
            {[
              one.about,
              one.is_needed && t('templates.needed'),
              one.is_block && t('templates.ownLine'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
          <Text size="sm" c="dimmed" className={classes.text}>
            {one.example || '—'}
          </Text>
        </li>
      ))}
    </ul>
  )
}

function Builtin(props: { template: MailTemplateResult; values: MailTemplateText }) {
  const { t } = useTranslation('console/mail')
  const { builtin_subject: subject, builtin_body: body } = props.template
  const isSame = props.values.subject === subject && props.values.body === body
  return (
    <Stack gap="sm">
      {isSame && (
        <Text size="sm" c="dimmed">
          {t('templates.sameAsBuiltin')}
        </Text>
      )}
      <Text fw={600}>{subject}</Text>
      <Code block tabIndex={0} aria-label={t('templates.builtinText')} className={classes.text}>
        {body}
      </Code>
    </Stack>
  )
}
