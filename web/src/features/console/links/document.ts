/** What a template's text says: its document, or why it is none. */
type Read = { document: Record<string, unknown> } | { problem: string }

export function readDocument(text: string): Read {
  try {
    const document: unknown = JSON.parse(text.trim() || '{}')
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return { document: document as Record<string, unknown> }
    return { problem: '' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : '' }
  }
}

export const textOf = (document: unknown): string => JSON.stringify(document ?? {}, null, 2)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A document laid over another as RFC 7396 has it. */
export function laidOver(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Record<string, unknown> = isObject(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = laidOver(merged[key], value)
  }
  return merged
}

export type Line = { sign: ' ' | '-' | '+'; text: string; number: number }

/** The lines of two texts: those of both, those that went, and those that came. */
export function differences(before: string, after: string): Line[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const width = now.length + 1
  // The length of the longest common sequence of what follows each pair of places.
  const common = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: now[j] ?? '', number: j + 1 })
      i++
      j++
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: old[i] ?? '', number: i + 1 })
      i++
    } else {
      lines.push({ sign: '+', text: now[j] ?? '', number: j + 1 })
      j++
    }
  }
  return lines
}

const CONTEXT = 2

/** Those near a change. */
export const nearChanges = (lines: readonly Line[]): Line[] =>
  lines.filter((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
