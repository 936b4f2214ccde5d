import { expect, type Page } from '@playwright/test'

export type Credentials = { email: string; password: string }

export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.goto('/auth/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/user/dashboard')
}
