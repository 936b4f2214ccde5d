import type { TFunction } from 'i18next'
import * as z from 'zod/mini'
import { email, emailCode, proofForm } from './model'

type Texts = TFunction<'account'>

const passkeyName = (t: TFunction<'passkey'>) =>
  z.string().check(z.trim(), z.maxLength(64, t('problem.nameLong')))

export const passkeyNameForm = (t: TFunction<'passkey'>, account: Texts) =>
  z.object({ name: passkeyName(t).check(z.minLength(1, account('problem.required'))) })

export type PasskeyNameForm = z.infer<ReturnType<typeof passkeyNameForm>>

/** Without a name it gets the device's. */
export const newPasskeyForm = (t: TFunction<'passkey'>, account: Texts, needsCode: boolean) =>
  z.extend(proofForm(account, needsCode), { name: passkeyName(t) })

export type NewPasskeyForm = z.infer<ReturnType<typeof newPasskeyForm>>

export const newEmailForm = (t: Texts) =>
  z.object({
    email: email(t),
    current_password: z.string().check(z.minLength(1, t('problem.required'))),
  })

export type NewEmailForm = z.infer<ReturnType<typeof newEmailForm>>

export const emailCodesForm = (t: Texts) =>
  z.object({ email_code: emailCode(t), current_email_code: emailCode(t) })

export type EmailCodesForm = z.infer<ReturnType<typeof emailCodesForm>>

export const closeForm = (t: Texts, needsCode: boolean) =>
  z.extend(proofForm(t, needsCode), { email: email(t), forfeit: z.string() })

export type CloseForm = z.infer<ReturnType<typeof closeForm>>
