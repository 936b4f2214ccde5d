import { auditRecordsOptions, auditRulesOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

// Loaded by routes together with the pages' code, and by the pages.

export const PAGE_SIZE = 20

// What a route asked for a moment ago; nodes report more all the time.
const staleTime = 2_000

export const recordsOf = (page: number, rule: number | undefined) => ({
  ...auditRecordsOptions({
    query: { rule_id: rule, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
  }),
  staleTime,
})

export const rules = () => ({ ...auditRulesOptions(), staleTime })
