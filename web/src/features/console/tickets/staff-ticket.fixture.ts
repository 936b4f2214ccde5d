import type { StaffTicket, StaffTicketMessage } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'

/** A ticket of Lin's. */
export const staffTicket = (no: number, change: Partial<StaffTicket> = {}): StaffTicket => ({
  id: `00000000-0000-0000-0000-${String(no).padStart(12, '0')}`,
  no,
  created_at: inDays(-2),
  updated_at: inDays(-1),
  user: { id: 7, name: 'Lin', email: 'lin@example.com' },
  title: `Question ${no}`,
  ticket_status: 'pending',
  awaiting: 'staff',
  category: 'general',
  priority: 'normal',
  merged_into: null,
  message_count: 1,
  user_read_no: 1,
  revision: 1,
  ...change,
})

export const staffTicketMessage = (
  no: number,
  change: Partial<StaffTicketMessage> = {},
): StaffTicketMessage => ({
  id: `10000000-0000-0000-0000-${String(no).padStart(12, '0')}`,
  no,
  created_at: inDays(-1),
  author: { id: 7, name: 'Lin', email: 'lin@example.com' },
  by_staff: false,
  is_note: false,
  content: `Message ${no}`,
  attachments: [],
  ...change,
})
