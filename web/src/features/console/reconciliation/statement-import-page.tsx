import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffStatementImport, staffStatementPreview } from '@/lib/api/gen/staff/sdk.gen'
import type { StatementColumns, StatementPreview } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormColumn } from '@/ui/form-column'
import { Moment } from '@/ui/moment'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { toast } from '@/ui/toast'
import { textOf } from '../parts/file-text'
import { Item, Items, Section } from '../parts/section'
import { gatewaySums } from './resources'

const columns = [
  'time',
  'kind',
  'transaction',
  'trade_no',
  'amount',
  'out',
  'fee',
  'state',
] as const

/** The chosen file with what the server understood of it. */
function useImport(gateway: string) {
  const { t } = useTranslation('console/reconciliation')
  const { t: common } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [file, setFile] = useState<{ name: string; text: string }>()
  const [preview, setPreview] = useState<StatementPreview>()
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      await toast('error', problemText(error, common))
    } finally {
      setBusy(false)
    }
  }
  const read = (text: string, chosenColumns?: StatementColumns) =>
    attempt(async () => {
      const { data } = await staffStatementPreview({
        body: { text, ...(chosenColumns && { columns: chosenColumns }) },
        throwOnError: true,
      })
      setPreview(data)
    })
  const open = async (picked: File | undefined) => {
    if (!picked) return
    const text = await textOf(picked)
    setFile({ name: picked.name, text })
    await read(text)
  }
  const submit = () =>
    attempt(async () => {
      if (!file || !preview) return
      const { data } = await staffStatementImport({
        body: { gateway, name: file.name, text: file.text, columns: preview.columns },
        throwOnError: true,
      })
      await client.invalidateQueries({ queryKey: ['console'] })
      await toast('success', t('import.done'))
      await navigate({ to: '/admin/reconciliation/$id', params: { id: String(data.id) } })
    })

  return { file, preview, isBusy, open, read, submit }
}

/** A file of a gateway, shown as it was understood before it is kept. */
export function StatementImportPage() {
  const { t } = useTranslation('console/reconciliation')
  const { data: sums = [] } = useQuery(gatewaySums())
  const fileId = useId()
  const [gateway, setGateway] = useState('')
  const chosen = gateway || sums[0]?.gateway || ''
  const { file, preview, isBusy, open, read, submit } = useImport(chosen)

  return (
    <FormColumn>
      <PageHeader title={t('import.title')} about={t('import.about')} />
      <Stack gap="lg">
        <NativeSelect
          label={t('field.gateway')}
          value={chosen}
          data={sums.map((one) => one.gateway)}
          onChange={(event) => setGateway(event.currentTarget.value)}
        />
        <TextInput
          id={fileId}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          label={t('import.file')}
          description={t('import.fileHint')}
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
        {preview?.problem && <Notice tone="warning">{preview.problem}</Notice>}
        {file && preview && preview.head.length > 0 && (
          <ColumnChoice
            preview={preview}
            isBusy={isBusy}
            onChoose={(chosenColumns) => void read(file.text, chosenColumns)}
          />
        )}
        {preview && preview.count > 0 && <Understood preview={preview} />}
        <Button
          loading={isBusy}
          disabled={!file || !preview || preview.problem !== '' || chosen === ''}
          onClick={() => void submit()}
        >
          {t('import.submit')}
        </Button>
      </Stack>
    </FormColumn>
  )
}

/** Which column is what, where the names of the head do not say it or say it wrongly. */
function ColumnChoice(props: {
  preview: StatementPreview
  isBusy: boolean
  onChoose: (chosen: StatementColumns) => void
}) {
  const { t } = useTranslation('console/reconciliation')
  const { preview, isBusy, onChoose } = props
  const names = [...new Set(preview.head)].filter(Boolean)
  return (
    <Section title={t('import.columns')}>
      <Stack gap="sm">
        {columns.map((key) => (
          <NativeSelect
            key={key}
            label={t(`import.column.${key}`)}
            value={preview.columns[key] ?? ''}
            data={[
              { value: '', label: t('import.none') },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
            disabled={isBusy}
            onChange={(event) => onChoose({ ...preview.columns, [key]: event.currentTarget.value })}
          />
        ))}
      </Stack>
    </Section>
  )
}

function Understood({ preview }: { preview: StatementPreview }) {
  const { t } = useTranslation('console/reconciliation')
  return (
    <Section title={t('statement.lines')}>
      <Text mb="sm">{t('import.found', { count: preview.count, skipped: preview.skipped })}</Text>
      <Items>
        {preview.lines.map((line) => (
          <Item
            key={line.position}
            name={line.transaction_id || line.trade_no || '—'}
            state={line.amount}
            about={
              <>
                {t(`kind.${line.kind}`)} · <Moment time={line.happened_at} withTime />
              </>
            }
          />
        ))}
      </Items>
    </Section>
  )
}
