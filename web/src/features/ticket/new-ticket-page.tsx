import { Card, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { ticketOpen } from '@/lib/api/gen/sdk.gen'
import type { TicketDraft } from '@/lib/api/gen/types.gen'
import { newIdempotencyKey as newKey } from '@/lib/idempotency-key'
import { useOnce } from '@/lib/use-once'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { FormColumn } from '@/ui/form-column'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { dismissErrors, toast } from '@/ui/toast'
import { MAX_CONTENT, sendsBy } from './components/composer'
import { ChosenFiles, FilePicker } from './components/file-picker'
import { useNewTicketDraft } from './drafts'
import classes from './files.module.css'
import { categories } from './model'
import { pastesFiles, useFileDrop } from './use-file-drop'
import { useUploads } from './use-uploads'

const MAX_TITLE = 120

type Values = Required<Pick<TicketDraft, 'title' | 'content' | 'category'>>

const send = (body: TicketDraft, key: string) =>
  ticketOpen({ body, headers: { 'Idempotency-Key': key }, throwOnError: true })

/** The form of a new ticket, whose content is kept in this browser until it is sent. */
function useNewTicket() {
  const { t } = useTranslation('ticket')
  const [draft, change] = useNewTicketDraft()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  // Whether the ticket was opened before, by a call whose answer was lost and whose text was another.
  const [isOpened, setOpened] = useState(false)
  const form = useForm<Values>({
    defaultValues: {
      title: draft.title,
      content: draft.content,
      category: categories.find((one) => one === draft.category) ?? 'general',
    },
  })
  const calls = useCalls(form, 'ticket')
  const values = useWatch({ control: form.control })
  const uploads = useUploads(draft.files, (make) =>
    change((before) => ({ ...before, files: make(before.files) })),
  )
  const { title = '', content = '', category = 'general' } = values
  useEffect(() => {
    change(({ key, files }) => ({ title, content, category, files, key: key || newKey() }))
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what keeps it is another function each time
  }, [title, content, category])

  const open = async (body: TicketDraft) => {
    dismissErrors()
    setOpened(false)
    try {
      const { data } = await send(body, draft.key || newKey())
      form.reset({ title: '', content: '', category: 'general' })
      change(() => ({ title: '', content: '', category: 'general', files: [], key: '' }))
      await queryClient.invalidateQueries()
      await navigate({
        to: '/user/tickets/view/$id',
        params: { id: String(data.no) },
        replace: true,
      })
    } catch (error) {
      // Only a lost answer is asked for again; anything else is another request.
      if (!(error instanceof ApiError && error.isPassing))
        change((before) => ({ ...before, key: newKey() }))
      setOpened(error instanceof ApiError && error.code === 'idempotency_key_reused')
      throw error
    }
  }
  const submit = useOnce(
    form.handleSubmit(async (body) => {
      if (uploads.isBusy) {
        await toast('error', t('files.wait'))
        return
      }
      await calls.call(
        (proof) => open({ ...body, attachments: draft.files.map(({ id }) => id), ...proof }),
        () => void submit(),
      )
    }),
  )
  const required = { validate: (text: string) => text.trim() !== '' || t('new.required') }
  return { form, calls, submit, required, uploads, isOpened }
}

/** Opens a ticket. */
export function NewTicketPage() {
  const { t } = useTranslation('ticket')
  const { form, calls, submit, required, uploads, isOpened } = useNewTicket()
  const drop = useFileDrop(uploads.add)
  const { errors } = form.formState
  return (
    <>
      <PageHeader title={t('new.title')} about={t('new.about')} />
      <FormColumn>
        <Card
          component="form"
          noValidate
          className={classes.drop}
          onSubmit={(event) => void submit(event)}
          {...drop}
        >
          <Stack gap="md">
            <TextInput
              label={t('new.subject')}
              maxLength={MAX_TITLE}
              error={errors.title?.message}
              {...form.register('title', required)}
            />
            <NativeSelect
              label={t('new.category')}
              data={categories.map((value) => ({ value, label: t(`category.${value}`) }))}
              error={errors.category?.message}
              {...form.register('category')}
            />
            <Textarea
              label={t('new.content')}
              description={t('new.hint')}
              autosize
              minRows={6}
              maxRows={20}
              maxLength={MAX_CONTENT}
              error={errors.content?.message}
              onKeyDown={sendsBy(() => void submit())}
              onPaste={pastesFiles(uploads.add)}
              {...form.register('content', required)}
            />
            <ChosenFiles uploads={uploads} />
            <div>
              <FilePicker uploads={uploads} />
            </div>
            <FormEnd calls={calls}>{t('new.send')}</FormEnd>
            {isOpened && <TextLink to="/user/tickets">{t('view.toAll')}</TextLink>}
          </Stack>
        </Card>
      </FormColumn>
    </>
  )
}
