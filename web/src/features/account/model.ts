import type { TFunction } from 'i18next'
import * as z from 'zod/mini'
import { accountEditEmailRules } from '@/lib/api/gen/rules.gen'
import { emailPattern } from '@/lib/email-pattern'

// Forms of somebody who is signed in; the open pages' rules are in field-rules.ts.

type Texts = TFunction<'account'>

export const email = (t: Texts) =>
  z.pipe(
    z.string().check(z.trim()),
    z
      .string()
      .check(
        z.minLength(1, t('problem.required')),
        z.maxLength(accountEditEmailRules.email.maxLength, t('problem.email')),
        z.email({ pattern: emailPattern, error: t('problem.email') }),
      ),
  )

/** Six digits, as the mails bring them. */
export const emailCode = (t: Texts) => z.string().check(z.regex(/^\d{6}$/, t('problem.emailCode')))

export const newPasswordForm = (t: Texts) =>
  z.object({
    current_password: z.string().check(z.minLength(1, t('problem.required'))),
    new_password: z.string().check(z.minLength(8, t('problem.passwordShort'))),
  })

export type NewPasswordForm = z.infer<ReturnType<typeof newPasswordForm>>

export const profileForm = (t: Texts) =>
  z.object({
    user_name: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, t('problem.required')),
        z.maxLength(32, t('problem.nameLong')),
      ),
  })

export type ProfileForm = z.infer<ReturnType<typeof profileForm>>

export const proofForm = (t: Texts, needsCode: boolean) =>
  z.object({
    password: z.string().check(z.minLength(1, t('problem.required'))),
    ga_token: z.string().check(z.trim(), z.minLength(needsCode ? 1 : 0, t('problem.required'))),
  })

export type ProofForm = z.infer<ReturnType<typeof proofForm>>

export const codeForm = (t: Texts) =>
  z.object({ ga_token: z.string().check(z.trim(), z.minLength(1, t('problem.required'))) })

export type CodeForm = z.infer<ReturnType<typeof codeForm>>
