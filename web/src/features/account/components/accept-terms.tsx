import { Anchor, Text } from '@mantine/core'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import type { Site } from '@/lib/api/site'
import classes from './accept-terms.module.css'

const ERROR = 'accept-terms-error'

/** What people accept who sign up, with links to read it that leave the form as it is. */
export function AcceptTerms(props: {
  legal: Site['legal']
  register: UseFormRegisterReturn
  error: string | undefined
}) {
  const { t } = useTranslation('account')
  const { has_terms: terms, has_privacy: privacy } = props.legal
  const key =
    terms && privacy ? 'signUp.acceptBoth' : terms ? 'signUp.acceptTerms' : 'signUp.acceptPrivacy'
  return (
    <div>
      <label className={classes.label}>
        <input
          type="checkbox"
          aria-invalid={props.error !== undefined}
          aria-describedby={props.error === undefined ? undefined : ERROR}
          {...props.register}
        />
        <span>
          {t(key)
            .split(/<(terms|privacy)>([^<]*)<\/\w+>/)
            .map((part, i, all) =>
              i % 3 === 1 ? (
                <Anchor key={part} href={`/${part}`} target="_blank" underline="always" inherit>
                  {all[i + 1]}
                </Anchor>
              ) : (
                i % 3 === 0 && part
              ),
            )}
        </span>
      </label>
      {props.error !== undefined && (
        <Text id={ERROR} size="sm" c="var(--mantine-color-error)" mt={4}>
          {props.error}
        </Text>
      )}
    </div>
  )
}
