import { unwrap } from './client'
import { MissingParameterError } from './errors'
import type { CreateClientConfig } from './gen/client.gen'
import { required } from './gen/required.gen'
import { sendProving } from './prove'

/** How the generated calls talk to /api/v2 (see client.ts and prove.ts); they resolve to what the envelope carries. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: location.origin,
  fetch: (input) => sendProving(input as Request),
  requestValidator: async (request) => requireParameters(request as RequestParts),
  responseTransformer: async (body) => unwrap(body),
})

type RequestParts = { method: string; url: string } & Partial<Record<string, unknown>>

function requireParameters(request: RequestParts): void {
  const operation = `${request.method} ${request.url}`
  for (const name of required[operation] ?? []) {
    const [place = '', parameter = ''] = name.split('.')
    const given = request[place] as Record<string, unknown> | undefined
    if (given?.[parameter] === null || given?.[parameter] === undefined) {
      throw new MissingParameterError(operation, parameter)
    }
  }
}
