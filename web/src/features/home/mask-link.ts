/** A link that can be seen by others: its token hidden but for the first two characters. */
export function maskLink(url: string): string {
  const token = url.lastIndexOf('/') + 1
  return `${url.slice(0, token + 2)}${'•'.repeat(10)}`
}
