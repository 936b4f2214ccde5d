import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffMailTemplateReset, staffMailTemplateSet } from '@/lib/api/gen/staff/sdk.gen'
import type { MailTemplateResult } from '@/lib/api/gen/staff/types.gen'
import { staffMailTemplateSetRules as rules } from '@/lib/api/gen/staff/rules.gen'
import { LanguageChoice } from './language-choice'
import { Loaded } from '@/ui/loaded'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { mailTemplateOf } from './resources'
import { TemplateViews, textOf } from './template-views'

const route = getRouteApi('/admin/mail-templates/$kind')
const list = { to: '/admin/mail-templates' } as const

/** What one kind of mail says, in one language at a time. */
export function MailTemplatePage() {
  const { t } = useTranslation('console/mail')
  const { kind } = route.useParams()
  const { text: lang } = route.useSearch()
  const navigate = useNavigate()
  const query = useQuery(mailTemplateOf(kind, lang))
  const one = query.data
  const { reset, resetCount } = useReset()
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('templates.title'), link: list }}
        title={one?.name ?? kind}
        {...(one && {
          state: (
            <StatusDot tone={one.is_changed ? 'info' : 'neutral'}>
              {t(one.is_changed ? 'templates.changed' : 'templates.builtin')}
            </StatusDot>
          ),
          primary: <ActionButton subject={one} action={reset} />,
        })}
        about={
          <LanguageChoice
            value={lang}
            onChange={(to) =>
              void navigate({
                to: '/admin/mail-templates/$kind',
                params: { kind },
                search: { text: to },
                replace: true,
              })
            }
          />
        }
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(template) => <Template key={`${kind}:${lang}:${resetCount}`} template={template} />}
      </Loaded>
    </div>
  )
}

const valuesOf = ({ subject, body }: MailTemplateResult): FormValues => ({ subject, body })

function Template({ template }: { template: MailTemplateResult }) {
  const may = useMay()
  return may('mail.template.write') ? (
    <Edit template={template} />
  ) : (
    <TemplateViews template={template} values={template} />
  )
}

const viewsOf = (template: MailTemplateResult) => (values: FormValues) => (
  <TemplateViews template={template} values={textOf(values)} />
)

function Edit({ template }: { template: MailTemplateResult }) {
  const { t } = useTranslation('console/mail')
  const leave = useLeave()
  const { kind, lang } = template
  const { edited, reload } = useEdited(template, mailTemplateOf(kind, lang), valuesOf)
  return (
    <ResourceForm
      draftKey={`mail-template:${kind}:${lang}`}
      initial={valuesOf(edited)}
      sections={[
        {
          title: t('templates.section'),
          about: t('templates.hint'),
          fields: () => [
            {
              name: 'subject',
              label: t('templates.subject'),
              kind: 'text',
              isRequired: true,
              rules: rules.subject,
            },
            {
              name: 'body',
              label: t('templates.body'),
              kind: 'textarea',
              isRequired: true,
              rules: rules.body,
            },
          ],
        },
      ]}
      submit={t('templates.save')}
      save={(values) =>
        staffMailTemplateSet({
          path: { kind, lang },
          headers: { 'If-Match': `"${edited.version}"` },
          body: textOf(values),
          throwOnError: true,
        })
      }
      reload={reload}
      onSaved={() => leave(list, t('templates.saved', { name: edited.name }))}
      aside={viewsOf(edited)}
    />
  )
}

/** Goes back to the built-in text. With each new `resetCount` a form begins with the text that the server has then. */
function useReset() {
  const { t } = useTranslation('console/mail')
  const client = useQueryClient()
  const [resetCount, setResetCount] = useState(0)
  const reset: Action<MailTemplateResult> = {
    key: 'reset',
    icon: RotateCcw,
    title: t('templates.reset'),
    permission: 'mail.template.write',
    danger: 'C',
    isShown: ({ is_changed: isChanged }) => isChanged,
    effect: ({ name }) => t('templates.resetEffect', { name }),
    run: async ({ kind, lang }) => {
      await staffMailTemplateReset({ path: { kind, lang }, throwOnError: true })
      await client.fetchQuery({ ...mailTemplateOf(kind, lang), staleTime: 0 })
      setResetCount((count) => count + 1)
    },
    done: ({ name }) => t('templates.resetDone', { name }),
  }
  return { reset, resetCount }
}
