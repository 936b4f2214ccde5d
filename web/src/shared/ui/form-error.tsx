import { Alert } from '@mantine/core'
import { CircleAlert } from 'lucide-react'

/** What is wrong with a form as a whole, above its button. */
export function FormError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert size={18} strokeWidth={1.75} />}>
      {message}
    </Alert>
  )
}
