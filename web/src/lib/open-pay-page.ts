import type { RechargeRecord } from '@/lib/api/gen/types.gen'

/** Leads on to the provider's page where a payment has one of its own. A code or words are shown by ours. */
export function openPayPage({ pay_page: page }: RechargeRecord): void {
  if (page?.kind === 'url' && /^https?:/i.test(page.url)) location.assign(page.url)
}
