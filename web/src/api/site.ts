import { queryOptions } from '@tanstack/react-query'
import { call } from './call'

export type Site = {
  site_name: string
  site_url: string
  footer: string
  version: string
  build: string
  demo: boolean
  currency: string
  sign_up: { mode: 'open' | 'invite' | 'closed'; email_code: boolean }
  recharge: { presets: string[]; min: string; max: string }
}

export const siteOptions = () =>
  queryOptions({
    queryKey: ['site'],
    queryFn: () => call<Site>('GET', '/api/v2/site'),
    staleTime: Infinity,
  })
