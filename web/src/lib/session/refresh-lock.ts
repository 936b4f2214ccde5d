const NAME = 'refresh_lock'
const LEASE_MS = 30_000
const LOOK_AGAIN_MS = 50

/** Runs `work` while no other tab of this browser runs its own: a refresh token may be used only once. */
export function withRefreshLock<T>(work: () => Promise<T>): Promise<T> {
  // Browsers offer locks on https and localhost only.
  return 'locks' in navigator ? navigator.locks.request(NAME, work) : withLease(work)
}

async function withLease<T>(work: () => Promise<T>): Promise<T> {
  const lease = await takeLease()
  try {
    return await work()
  } finally {
    if (localStorage.getItem(NAME) === lease) localStorage.removeItem(NAME)
  }
}

async function takeLease(): Promise<string> {
  for (;;) {
    const lease = `${Date.now() + LEASE_MS} ${Math.random()}`
    if (isFree(localStorage.getItem(NAME))) {
      localStorage.setItem(NAME, lease)
      // Two tabs may write at the same moment: the last one has it.
      await pause(LOOK_AGAIN_MS)
      if (localStorage.getItem(NAME) === lease) return lease
    }
    await pause(LOOK_AGAIN_MS)
  }
}

const isFree = (lease: string | null) => lease === null || Number.parseInt(lease, 10) < Date.now()

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
