/** Lets the browser download a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** A text as CSV, with a byte order mark: Excel does not detect UTF-8 without it. */
export const csvFile = (text: string | Blob) =>
  new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' })
