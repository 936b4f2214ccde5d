/** The address and the code of the link in a mail: both stand behind its #, so that no server's log has them. */
export function readResetToken(hash: string): { email: string; code: string } | undefined {
  const [, address, code] = /^#?([\w-]+)\.(\d{6})$/.exec(hash) ?? []
  if (!address || !code) return undefined
  try {
    const bytes = atob(address.replaceAll('-', '+').replaceAll('_', '/'))
    return { email: bytes, code }
  } catch {
    return undefined
  }
}
