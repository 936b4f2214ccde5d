import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  accountSecurityQueryKey,
  accountSecuritySetMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { Dialog } from '@/ui/dialog'
import { ProofForm } from './proof-form'

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('security')
  const queryClient = useQueryClient()
  const set = useMutation(accountSecuritySetMutation())
  return (
    <Dialog title={t('twoFactor.offTitle')} onClose={onClose}>
      <ProofForm
        text={t('twoFactor.offText')}
        action={t('twoFactor.turnOff')}
        isDanger
        needsCode
        onProof={async (proof) => {
          await set.mutateAsync({ body: { ...proof, ga_enable: false } })
          await queryClient.invalidateQueries({ queryKey: accountSecurityQueryKey() })
          onClose()
        }}
      />
    </Dialog>
  )
}
