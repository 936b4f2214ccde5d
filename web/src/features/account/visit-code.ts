// In the memory of this page only: a code opens a visit once.
let kept = ''

/** Keeps the code that an address has behind its #, which no server's log sees. */
export function keepVisitCode(hash: string): void {
  kept = hash.replace(/^#/, '')
}

/** Gives the code, once. */
export function takeVisitCode(): string {
  const code = kept
  kept = ''
  return code
}
