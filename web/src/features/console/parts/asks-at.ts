import { send } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { noticeRefusal, sendAsStaff } from './refusals'

/**
 * For calls that load what the pages at an address show, and before which the server asks who the member is. A link that is
 * pointed at loads its page ahead: that fails without asking, and opening the page loads it again.
 */
export const asksAt = (address: string) => ({
  fetch: async (input: RequestInfo | URL) => {
    const request = input as Request
    try {
      return await noticeRefusal(send(request.clone()))
    } catch (failure) {
      const isOpen = location.pathname.startsWith(address)
      if (!(isOpen && failure instanceof ApiError && failure.code === 'step_up_required'))
        throw failure
      return sendAsStaff(request)
    }
  },
})
