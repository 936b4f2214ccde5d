/**
 * Stands in for the generated client's reader of server-sent events, which every page would load and the server never
 * sends.
 */
export function createSseClient(): never {
  throw new Error('The server sends no events')
}
