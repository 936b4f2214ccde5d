import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { csvFile, saveFile } from '@/lib/save-file'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

/** Saves what the server sends as CSV. */
export function SaveCsv(props: { name: string; isEmpty: boolean; load: () => Promise<unknown> }) {
  const { t } = useTranslation('traffic')
  const { t: common } = useTranslation()
  const save = useMutation({
    mutationFn: async () => saveFile(`${props.name}.csv`, csvFile((await props.load()) as Blob)),
  })
  return (
    <>
      <Button
        variant="default"
        size="sm"
        disabled={props.isEmpty}
        loading={save.isPending}
        leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => save.mutate()}
      >
        {t('csv')}
      </Button>
      <FormError message={save.error ? problemText(save.error, common) : undefined} />
    </>
  )
}
