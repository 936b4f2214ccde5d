import { Button } from '@mantine/core'
import { ListOrdered } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import type { Item, OrderDialog as Dialog } from './order-dialog'

// React's lazy forgets that the component is generic.
const OrderDialog = lazyPart(
  () => import('./order-dialog'),
  'OrderDialog',
) as unknown as typeof Dialog

/** Opens the dialog that puts a short list into another order. */
export function OrderButton<I extends number | string>(props: {
  title: string
  read: () => Promise<readonly Item<I>[]>
  save: (ids: I[]) => Promise<unknown>
}) {
  const { t } = useTranslation()
  const [items, setItems] = useState<readonly Item<I>[]>()
  const open = async () => {
    try {
      setItems(await props.read())
    } catch (error) {
      void toast('error', problemText(error, t))
    }
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<ListOrdered size={16} aria-hidden="true" />}
        onClick={() => void open()}
      >
        {props.title}
      </Button>
      {items && (
        <Suspense>
          <OrderDialog
            title={props.title}
            items={items}
            read={props.read}
            save={props.save}
            onClose={() => setItems(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
