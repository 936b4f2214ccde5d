import { shareAccountsOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

// What the route asked for a moment ago.
const staleTime = 2_000

/** Loaded by the route together with the page's code, and by the page. */
export const shares = () => ({ ...shareAccountsOptions(), staleTime })
