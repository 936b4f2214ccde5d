import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csvFile, saveFile } from '@/lib/save-file'
import { problemText } from '@/lib/server-problem'
import { dismissErrors, toast } from '@/ui/toast'
import { useListSearch } from './list-search'
import { sendAsStaff } from './refusals'
import type { Resource } from './resource'

type Props<T> = { resource: Resource<T, string> }

/** The rows that the filters find, as a file. */
export function CsvButton<T>({ resource }: Props<T>) {
  const { t } = useTranslation('console/parts')
  const { search } = useListSearch()
  const { sort, ...filters } = search
  return (
    <FileButton
      label={t('table.csv')}
      name={`${resource.name}.csv`}
      address={resource.csv?.(filters, sort) ?? ''}
      wrap={csvFile}
    />
  )
}

/** The same rows as Apache Parquet, which tools for analysis read with the types of the columns. */
export function ParquetButton<T>({ resource }: Props<T>) {
  const { t } = useTranslation('console/parts')
  return (
    <FileButton
      label={t('table.parquet')}
      name={`${resource.name}.parquet`}
      address={resource.parquet?.() ?? ''}
    />
  )
}

/** Downloads what the address answers; the server asks for a recent password or passkey before. */
function FileButton(props: {
  label: string
  name: string
  address: string
  wrap?: (content: Blob) => Blob
}) {
  const { t } = useTranslation()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    dismissErrors()
    setBusy(true)
    try {
      const response = await sendAsStaff(new Request(new URL(props.address, location.origin)))
      const content = await response.blob()
      saveFile(props.name, props.wrap?.(content) ?? content)
    } catch (error) {
      await toast('error', problemText(error, t))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      size="sm"
      loading={isBusy}
      leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void save()}
    >
      {props.label}
    </Button>
  )
}
