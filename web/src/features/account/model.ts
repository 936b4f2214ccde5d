import type { TFunction } from 'i18next'
import * as z from 'zod/mini'

type Texts = TFunction<'account'>

export const email = (t: Texts) =>
  z.pipe(
    z.string().check(z.trim()),
    z.string().check(z.minLength(1, t('problem.required')), z.email(t('problem.email'))),
  )

export const signInForm = (t: Texts) =>
  z.object({
    email: email(t),
    password: z.string().check(z.minLength(1, t('problem.required'))),
    two_fa_code: z.string(),
    is_remember_me: z.boolean(),
  })

export type SignInForm = z.infer<ReturnType<typeof signInForm>>

/** Six digits, as the mails bring them. */
export const emailCode = (t: Texts) => z.string().check(z.regex(/^\d{6}$/, t('problem.emailCode')))

export const signInByCodeForm = (t: Texts) =>
  z.object({
    email: email(t),
    email_code: emailCode(t),
    two_fa_code: z.string(),
    is_remember_me: z.boolean(),
  })

export type SignInByCodeForm = z.infer<ReturnType<typeof signInByCodeForm>>

export const forgottenForm = (t: Texts) => z.object({ email: email(t) })

export type ForgottenForm = z.infer<ReturnType<typeof forgottenForm>>

export const resetForm = (t: Texts) =>
  z.object({
    email_code: emailCode(t),
    password: z.string().check(z.minLength(8, t('problem.passwordShort'))),
  })

export type ResetForm = z.infer<ReturnType<typeof resetForm>>

export const signUpForm = (t: Texts, needs: { invite: boolean; code: boolean }) =>
  z
    .object({
      email: email(t),
      name: z
        .string()
        .check(
          z.trim(),
          z.minLength(1, t('problem.required')),
          z.maxLength(32, t('problem.nameLong')),
        ),
      password: z.string().check(z.minLength(8, t('problem.passwordShort'))),
      re_password: z.string().check(z.minLength(1, t('problem.required'))),
      invite_code: z
        .string()
        .check(z.trim(), z.minLength(needs.invite ? 1 : 0, t('problem.required'))),
      email_code: needs.code ? emailCode(t) : z.string(),
    })
    .check(
      z.refine((form) => form.password === form.re_password, {
        path: ['re_password'],
        error: t('problem.passwordsDiffer'),
      }),
    )

export type SignUpForm = z.infer<ReturnType<typeof signUpForm>>

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
