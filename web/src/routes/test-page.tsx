import { createFileRoute, notFound, Outlet } from '@tanstack/react-router'
import { siteOptions } from '@/lib/api/site'
import { loadTexts } from '@/app/i18n'

/** There only where the operator's setting test_pages says so, as in the demo. */
export const Route = createFileRoute('/test-page')({
  beforeLoad: async ({ context: { queryClient } }) => {
    const { test_pages: isOpen } = await queryClient.ensureQueryData(siteOptions())
    if (!isOpen) throw notFound()
  },
  loader: () => loadTexts('demo'),
  component: Outlet,
})
