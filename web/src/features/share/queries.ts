import { shareAccountsOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

// What the route asked for a moment ago.
const staleTime = 2_000

/** Asked for by the route beside the page's code, and by the page. */
export const shares = () => ({ ...shareAccountsOptions(), staleTime })
