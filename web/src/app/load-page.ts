// What a phone on a slow network takes; parts that came one after the other would move the rest. Who waits longer sees
// skeletons.
const MAX_WAIT_MS = 1_000

/**
 * For route loaders: a page's texts and what it shows first are loaded together with its code, so that it is drawn once and
 * whole. Data that fails or is slow is not waited for: the page shows what came of it. On another part of the list that is
 * shown already (`cause` is `stay`) nothing waits: the page keeps what it shows until the rest is there.
 */
export async function loadPage(
  texts: Promise<unknown>,
  ...data: (Promise<unknown> | false)[]
): Promise<void> {
  const patience = new Promise((go) => setTimeout(go, MAX_WAIT_MS))
  await Promise.all([
    texts,
    Promise.race([Promise.allSettled(data.filter((one) => one !== false)), patience]),
  ])
}
