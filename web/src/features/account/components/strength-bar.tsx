import { useTranslation } from 'react-i18next'
import { strengthOf } from '../strength'
import classes from './strength-bar.module.css'

/** How good a new password is: four bars and a word. */
export function StrengthBar({ password }: { password: string }) {
  const { t } = useTranslation('security')
  const strength = strengthOf(password)
  return (
    <div className={classes.strength} data-strength={strength}>
      <span className={classes.bars} aria-hidden="true">
        {[1, 2, 3, 4].map((step) => (
          <span key={step} data-on={step <= strength} />
        ))}
      </span>
      <span role="status" className={classes.word}>
        {strength !== 0 && t(`strength.${strength}`)}
      </span>
    </div>
  )
}
