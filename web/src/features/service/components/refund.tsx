import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { refundRequestWithdrawMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { RefundRequestItem } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { Moment } from '@/ui/moment'
import { StatusDot, type Tone } from '@/ui/status-dot'
import { reloadRefunds } from '../use-last-requests'
import classes from './card.module.css'

const tones: Record<RefundRequestItem['state'], Tone> = {
  open: 'info',
  granted: 'success',
  declined: 'error',
  withdrawn: 'neutral',
}

/** The last refund request of a service or package: its state, the answer of staff, and its withdrawal. */
export function RefundState({ request }: { request: RefundRequestItem }) {
  const { t } = useTranslation('service')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const withdraw = useMutation({
    ...refundRequestWithdrawMutation(),
    onSuccess: () => reloadRefunds(queryClient),
    // Staff may have decided meanwhile.
    onError: () => void reloadRefunds(queryClient),
  })
  return (
    <div className={classes.request}>
      <div className={classes.head}>
        <StatusDot tone={tones[request.state]}>{t(`refund.state.${request.state}`)}</StatusDot>
        <span className={classes.quiet}>
          <Moment time={request.ended_at ?? request.created_at} />
        </span>
      </div>
      <p className={classes.quiet}>{request.answer || request.reason}</p>
      {request.state === 'open' && (
        <Button
          variant="default"
          size="sm"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({ path: { request_id: request.id } })}
        >
          {t('refund.withdraw')}
        </Button>
      )}
      <FormError message={withdraw.error ? problemText(withdraw.error, common) : undefined} />
    </div>
  )
}
