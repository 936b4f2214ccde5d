import { getChallenge, showSolutions } from '@/lib/api/captcha-calls'
import { ApiError } from '@/lib/api/errors'
import { solveChallenge } from './solve-challenge'

const MOST_CHALLENGES = 3

/**
 * Does a proof of work and gives the token for it. Where a challenge is no longer good when it is solved, because the
 * device slept or changed its network, another one is.
 */
export async function solveCaptcha(
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<string> {
  for (let left = MOST_CHALLENGES - 1; ; left--) {
    const challenge = await getChallenge(signal)
    const puzzles = challenge.cap_challenge_count
    onProgress(0)
    const solutions = await solveChallenge(
      { id: challenge.id, puzzles, zeros: challenge.cap_difficulty },
      { signal, onProgress: (solved) => onProgress(solved / puzzles) },
    )
    try {
      return (await showSolutions({ cap_id: challenge.id, solutions }, signal)).verify_token
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.isPassing) throw error
    }
  }
}
