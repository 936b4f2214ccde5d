import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  accountSecurityQueryKey,
  noticesGetQueryKey,
  noticesSetMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NoticeChoice, NoticesResult } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'

const queryKey = noticesGetQueryKey()

/** Shows a choice at once and stores it; what the server refuses is taken back and said. */
export function useChoice(): (choice: NoticeChoice) => void {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const set = useMutation({
    ...noticesSetMutation(),
    scope: { id: 'notices' },
    onError: (error) => void toast('error', problemText(error, t)),
    onSettled: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey }),
        queryClient.invalidateQueries({ queryKey: accountSecurityQueryKey() }),
      ])
    },
  })
  return (choice) => {
    queryClient.setQueryData<NoticesResult>(queryKey, (old) => old && withChoice(old, choice))
    set.mutate({ body: { choices: [choice] } })
  }
}

function withChoice(notices: NoticesResult, choice: NoticeChoice): NoticesResult {
  return {
    ...notices,
    events: notices.events.map((row) =>
      row.event === choice.event
        ? {
            ...row,
            channels: row.channels.map((each) =>
              each.channel === choice.channel ? { ...each, is_wanted: choice.is_wanted } : each,
            ),
          }
        : row,
    ),
  }
}
