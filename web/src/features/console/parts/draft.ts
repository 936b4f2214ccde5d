const PREFIX = 'console-draft:'

/** What somebody has begun to change, kept in this tab's browser session: secrets of others' objects don't outlive it. */
export function readDraft(key: string): Record<string, string | boolean> {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + key) ?? '{}') as Record<
      string,
      string | boolean
    >
  } catch {
    return {}
  }
}

export function keepDraft(key: string, values: Record<string, string | boolean>): void {
  try {
    if (Object.keys(values).length === 0) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(values))
  } catch {
    // No room, or none allowed: it is lost with the page.
  }
}

export const dropDraft = (key: string) => sessionStorage.removeItem(PREFIX + key)
