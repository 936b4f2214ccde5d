import { useQuery } from '@tanstack/react-query'

const EVERY_MS = 5 * 60_000

const runningBuild = document.querySelector<HTMLMetaElement>('meta[name=build]')?.content

/** True once the server has another build than the one this page runs. */
export function useNewVersion(): boolean {
  const { data } = useQuery({
    queryKey: ['latest-build'],
    queryFn: async () => {
      const response = await fetch('/builds/latest.json', { cache: 'no-store' })
      return ((await response.json()) as { build: string }).build
    },
    enabled: runningBuild !== undefined,
    // The page has just come from the server: its build is the latest until it is asked for again.
    initialData: runningBuild,
    staleTime: EVERY_MS,
    retry: false,
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: 'always',
  })
  return data !== undefined && data !== runningBuild
}
