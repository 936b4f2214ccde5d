import { useTranslation } from 'react-i18next'
import { FormError } from '@/ui/form-error'

const known = ['sign_in_link_invalid', 'invalid_input', 'too_many_requests'] as const

/** Says why a link did not sign its holder in. The code comes from the address: what is not known is not shown. */
export function RefusedLink({ reason }: { reason: string }) {
  const { t } = useTranslation('entry')
  const code = known.find((each) => each === reason) ?? 'other'
  return <FormError message={t(`reason.${code}`)} />
}
