import { crispData } from '@/lib/api/gen/sdk.gen'
import { siteOptions } from '@/lib/api/site'
import { queryClient } from '../query-client'
import { session } from '@/lib/session/current-session'
import { Chat } from './chat'

new Chat(session, {
  websiteId: async () => (await queryClient.ensureQueryData(siteOptions())).crisp_website_id,
  userData: async () => (await crispData()).data,
}).start()
