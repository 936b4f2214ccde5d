const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Bytes as people say them: steps of 1024, one decimal at most. */
export function bytesParts(bytes: number, language: string): { value: string; unit: string } {
  let size = Math.abs(bytes)
  let step = 0
  while (size >= 999.95 && step < units.length - 1) {
    size /= 1024
    step += 1
  }
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: step === 0 ? 0 : 1 })
  return { value: format.format(Math.sign(bytes) * size), unit: units[step] ?? '' }
}

/** "82.4 GB" */
export function formatBytes(bytes: number, language: string): string {
  const { value, unit } = bytesParts(bytes, language)
  return `${value} ${unit}`
}
