/** How long a password would hold, from 0 (empty) to 4; words that everybody uses are refused by the server. */
type Strength = 0 | 1 | 2 | 3 | 4

const pools: [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^ -~]/, 2000],
]

/** Bits of a guess by brute force, where a character that repeats or continues the one before counts for little. */
function bits(password: string): number {
  const size = pools.reduce((sum, [has, count]) => sum + (has.test(password) ? count : 0), 0)
  const codes = Array.from(password, (character) => character.codePointAt(0) ?? 0)
  const telling = codes.filter(
    (code, index) => index === 0 || Math.abs(code - (codes[index - 1] ?? 0)) > 1,
  )
  const rest = codes.length - telling.length
  return new Set(telling).size * Math.log2(Math.max(size, 2)) + rest
}

export function strengthOf(password: string): Strength {
  if (password === '') return 0
  const found = bits(password)
  if (Array.from(password).length < 8 || found < 45) return 1
  if (found < 55) return 2
  return found < 72 ? 3 : 4
}
