import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'

const RecoveryCodesDialog = lazyPart(() => import('./recovery-codes-dialog'), 'RecoveryCodesDialog')
const TurnOffDialog = lazyPart(() => import('./turn-off-dialog'), 'TurnOffDialog')
const TwoFactorDialog = lazyPart(() => import('./two-factor-dialog'), 'TwoFactorDialog')

/** Off: turn it on. On: new recovery codes, or off. */
export function TwoFactorActions({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation('security')
  const [open, setOpen] = useState<'on' | 'off' | 'codes'>()
  const close = () => setOpen(undefined)
  return (
    <>
      {isOn ? (
        <>
          <Button size="sm" variant="default" onClick={() => setOpen('codes')}>
            {t('twoFactor.newCodes')}
          </Button>
          <Button size="sm" variant="subtle" color="red" onClick={() => setOpen('off')}>
            {t('twoFactor.turnOff')}
          </Button>
        </>
      ) : (
        <Button size="sm" onClick={() => setOpen('on')}>
          {t('twoFactor.turnOn')}
        </Button>
      )}
      <Suspense>
        {open === 'on' && <TwoFactorDialog onClose={close} />}
        {open === 'off' && <TurnOffDialog onClose={close} />}
        {open === 'codes' && <RecoveryCodesDialog onClose={close} />}
      </Suspense>
    </>
  )
}
