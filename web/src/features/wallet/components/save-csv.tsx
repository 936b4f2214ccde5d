import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

/** Downloads all invoices of the shown month as CSV. */
export function SaveCsv({ month, isEmpty }: { month: string | undefined; isEmpty: boolean }) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const save = useMutation({
    mutationFn: async () => (await import('../invoice-csv')).saveInvoices(month, t),
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
