import { authorizedFetch, unwrap } from './client'
import type { CreateClientConfig } from './gen/client.gen'

/** How the generated client sends and what it hands out: see client.ts. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: location.origin,
  fetch: (request) => authorizedFetch(new Request(request)),
  responseTransformer: async (body) => unwrap(body),
})
