import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  accountRecoveryCodesRenewMutation,
  accountSecurityQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { Dialog } from '@/ui/dialog'
import { ProofForm } from './proof-form'
import { RecoveryCodes } from './recovery-codes'

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('security')
  const queryClient = useQueryClient()
  const renew = useMutation({
    ...accountRecoveryCodesRenewMutation(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: accountSecurityQueryKey() }),
  })
  return (
    <Dialog title={t('twoFactor.newCodes')} isHeld={renew.isSuccess} onClose={onClose}>
      {renew.isSuccess ? (
        <RecoveryCodes codes={renew.data.recovery_codes} onDone={onClose} />
      ) : (
        <ProofForm
          text={t('codes.renewText')}
          action={t('codes.renew')}
          needsCode
          onProof={(body) => renew.mutateAsync({ body })}
        />
      )}
    </Dialog>
  )
}
