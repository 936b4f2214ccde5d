import type { TFunction } from 'i18next'
import { authRegisterRules } from '@/lib/api/gen/rules.gen'
import { emailPattern } from '@/lib/email-pattern'

const trimmed = (value: string) => value.trim()

/**
 * What the fields of the open forms have to be, as rules of react-hook-form: with the schemas of the other forms
 * (model.ts) these pages would carry a schema library.
 */
export const fieldRules = (t: TFunction<'account'>) => ({
  required: { required: t('problem.required') },
  email: {
    setValueAs: trimmed,
    required: t('problem.required'),
    maxLength: { value: authRegisterRules.email.maxLength, message: t('problem.email') },
    pattern: { value: emailPattern, message: t('problem.email') },
  },
  /** Six digits, as the mails bring them. */
  emailCode: {
    required: t('problem.emailCode'),
    pattern: { value: /^\d{6}$/, message: t('problem.emailCode') },
  },
  name: {
    setValueAs: trimmed,
    required: t('problem.required'),
    maxLength: { value: 32, message: t('problem.nameLong') },
  },
  newPassword: {
    required: t('problem.passwordShort'),
    minLength: { value: 8, message: t('problem.passwordShort') },
  },
  repeatedPassword: {
    required: t('problem.required'),
    validate: (value: string, form: { password: string }) =>
      value === form.password || t('problem.passwordsDiffer'),
  },
  inviteCode: (isNeeded: boolean) => ({
    setValueAs: trimmed,
    required: isNeeded && t('problem.required'),
  }),
})
