import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const room = 2 * 2 ** 30

/**
 * Makes a new folder for the data of a test, in memory where there is room. The tests bound how long a server takes to
 * write, and a disk that stores what a compiler has just written may make one wait for many seconds.
 */
export function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), prefix))
  chmodSync(folder, 0o755) // PostgreSQL runs as another user.
  return folder
}

function hasRoom(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= room
}
