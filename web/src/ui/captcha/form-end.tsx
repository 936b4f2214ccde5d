import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormError } from '@/ui/form-error'
import type { Calls } from './use-calls'

/** The end of a form: the captcha where one is asked for, what is wrong with the whole, the button that sends it. */
export function FormEnd({ calls, children }: { calls: Calls; children: ReactNode }) {
  return (
    <>
      {calls.captcha}
      <FormError message={calls.problem} />
      <Button type="submit" fullWidth loading={calls.isBusy}>
        {children}
      </Button>
    </>
  )
}
