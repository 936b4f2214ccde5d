import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DownloadLink } from '@/ui/connect/download-link'
import { GuideLink } from '@/ui/connect/guide-link'
import { ButtonLink } from '@/ui/button-link'
import type { Step } from '../model'
import classes from './first-steps.module.css'

const steps = ['buy', 'install', 'import'] as const

/** From nothing to connected, for somebody new; gone once traffic has flowed. */
export function FirstSteps({ step }: { step: Step }) {
  const { t } = useTranslation('home')
  const done = step === 'buy' ? 0 : 1
  return (
    <div>
      <h2 className={classes.title}>{t('steps.title')}</h2>
      <ol className={classes.steps}>
        {steps.map((key, index) => (
          <li
            key={key}
            className={classes.step}
            data-state={index < done ? 'done' : index === done ? 'next' : 'later'}
          >
            <span className={classes.mark} aria-hidden="true">
              {index < done ? <Check size={14} strokeWidth={2.5} /> : index + 1}
            </span>
            <div>
              <p className={classes.name}>{t(`steps.${key}`)}</p>
              {step === 'import' && key === 'install' ? (
                <p className={classes.hint}>
                  <DownloadLink />
                  <GuideLink separator=" · " />
                </p>
              ) : (
                index >= done && <p className={classes.hint}>{t(`steps.${key}Hint`)}</p>
              )}
            </div>
          </li>
        ))}
      </ol>
      {step === 'buy' && <ButtonLink to="/user/services/buy">{t('action.buy')}</ButtonLink>}
    </div>
  )
}
