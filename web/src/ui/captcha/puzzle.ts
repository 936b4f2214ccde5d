/** One puzzle of a challenge. `zeros` are hex digits, at most 8. */
export type Puzzle = { challenge: string; index: number; zeros: number }

/** The first whole number s for which the SHA-256 of the text index + challenge + s begins with the zeros. */
export function solve({ challenge, index, zeros }: Puzzle): number {
  const bytes = new Uint8Array(64)
  const prefix = new TextEncoder().encode(`${index}${challenge}`)
  bytes.set(prefix)
  const block = new DataView(bytes.buffer)
  for (let solution = 0; ; solution++) {
    const end = writeDecimal(bytes, prefix.length, solution)
    // One block holds it all: the text, a bit behind it, zeros, and the length of the text in bits.
    bytes[end] = 0x80
    block.setUint32(60, end * 8)
    if (firstWordOfHash(block) >>> (32 - 4 * zeros) === 0) return solution
  }
}

/** Gives where the number ends. */
function writeDecimal(bytes: Uint8Array, start: number, value: number): number {
  let end = start + 1
  for (let power = 10; power <= value; power *= 10) end++
  let rest = value
  for (let at = end - 1; at >= start; at--) {
    const higher = Math.floor(rest / 10)
    bytes[at] = 0x30 + rest - higher * 10
    rest = higher
  }
  return end
}

/**
 * SHA-256 (FIPS 180-4) of one padded block, of which the first of eight words is enough here. The browser's own
 * `crypto.subtle` answers each call asynchronously, which takes many times as long as such a short hash.
 */
function firstWordOfHash(block: DataView): number {
  for (let i = 0; i < 16; i++) w[i] = block.getInt32(i * 4)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0
  }
  let a = A
  let b = B
  let c = C
  let d = D
  let e = E
  let f = F
  let g = G
  let h = H
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const t1 = (h + s1 + choice + (K[i] as number) + (w[i] as number)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  return (A + a) | 0
}

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

type Eight = [number, number, number, number, number, number, number, number]

/** The first 32 bits behind the point of the roots of primes, which is what the constants of SHA-256 are. */
const fractions = (primes: number[], power: number) =>
  primes.map((prime) => ((prime ** power % 1) * 2 ** 32) | 0)

const primes = Array.from({ length: 310 }, (_, i) => i + 2).filter((n, _, all) =>
  all.every((m) => m >= n || n % m !== 0),
)
const [A, B, C, D, E, F, G, H] = fractions(primes.slice(0, 8), 1 / 2) as Eight
const K = Int32Array.from(fractions(primes, 1 / 3))
const w = new Int32Array(64)
