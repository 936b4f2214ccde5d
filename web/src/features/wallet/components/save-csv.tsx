import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { csvFile, saveFile } from '@/lib/save-file'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { csv, everyInvoice } from '../invoice-csv'
import { lineText } from '../line-text'

/** Downloads all invoices of the shown month as CSV. */
export function SaveCsv({ month, isEmpty }: { month: string | undefined; isEmpty: boolean }) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const save = useMutation({
    mutationFn: async () => {
      const invoices = await everyInvoice(month)
      const head = [t('number'), t('when'), t('what'), t('amount'), t('currency'), t('refunded')]
      const rows = invoices.map(({ no, created_at, lines, total, currency, refund }) => [
        String(no),
        created_at,
        lines.map((line) => lineText(line, t)).join('; '),
        total,
        currency,
        refund?.amount ?? '',
      ])
      saveFile(`invoices${month ? `-${month}` : ''}.csv`, csvFile(csv([head, ...rows])))
    },
  })
  return (
    <>
      <Button
        variant="default"
        disabled={isEmpty}
        loading={save.isPending}
        leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => save.mutate()}
      >
        {t('billing.csv')}
      </Button>
      <FormError message={save.error ? problemText(save.error, common) : undefined} />
    </>
  )
}
