import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { toast } from '@/ui/toast'

/** Leads to another page after what a form did, and says what that was. */
export function useLeave() {
  const navigate = useNavigate()
  return (link: Pick<LinkProps, 'to' | 'params'>, said: string) => {
    void toast('success', said)
    void navigate(link)
  }
}
