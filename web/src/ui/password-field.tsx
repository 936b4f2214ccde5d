import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { ArrowBigUp, Eye, EyeOff } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './password-field.module.css'

/** A password with a button that shows it and a word when Caps Lock is on. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation('account')
  const [isCapsLockOn, setCapsLockOn] = useState(false)
  const [isShown, setShown] = useState(false)
  const watchCapsLock = (event: KeyboardEvent<HTMLInputElement>) =>
    setCapsLockOn(event.getModifierState('CapsLock'))

  return (
    <div>
      <PasswordInput
        {...props}
        aria-invalid={Boolean(props.error)}
        visible={isShown}
        onVisibilityChange={setShown}
        visibilityToggleIcon={VisibilityIcon}
        visibilityToggleButtonProps={{
          'aria-label': isShown ? t('field.hidePassword') : t('field.showPassword'),
          // Reached by Tab like everything else.
          tabIndex: 0,
        }}
        onKeyDown={watchCapsLock}
        onKeyUp={watchCapsLock}
      />
      <p role="status" className={classes.hint}>
        {isCapsLockOn && (
          <>
            <ArrowBigUp size={14} aria-hidden="true" /> {t('field.capsLock')}
          </>
        )}
      </p>
    </div>
  )
}

function VisibilityIcon({ reveal }: { reveal: boolean }) {
  const Icon = reveal ? EyeOff : Eye
  return <Icon size={18} strokeWidth={1.75} />
}
