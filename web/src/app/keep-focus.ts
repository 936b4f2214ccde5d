/** What held the focus, and what held that, outwards. */
let trail: Element[] = []
/** The same outside of dialogs: the focus goes back there when one closes. */
let trailOfPage: Element[] = []

/**
 * Keeps the focus near its place when what had it is taken away, as a form that was sent or the row of a list: else the
 * browser gives it to the body, and who works by keyboard or screen reader begins at the top of the page. It goes to the
 * nearest part of the page that is still there, unless that part has put it somewhere itself.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    trail = outwards(target)
    if (!target.closest('[role=dialog]')) trailOfPage = trail
  })
  // Who presses outside of all fields and buttons means to leave them.
  document.addEventListener(
    'pointerdown',
    ({ target }) => {
      trail = []
      if (target instanceof Element && !target.closest('[role=dialog]')) trailOfPage = []
    },
    true,
  )
  new MutationObserver(() => {
    if (isLost()) setTimeout(restore)
  }).observe(document.body, { childList: true, subtree: true })
}

function outwards(start: Element): Element[] {
  const found: Element[] = []
  for (let one: Element | null = start; one && one !== document.body; one = one.parentElement)
    found.push(one)
  return found
}

const isLost = () =>
  document.activeElement === document.body && trail[0] !== undefined && !trail[0].isConnected

function restore(): void {
  if (!isLost()) return
  const dialog = document.querySelector('[role=dialog]')
  const isInside = (one: Element) => (dialog ?? document.querySelector('main'))?.contains(one)
  const place = [...trail, ...trailOfPage].find((one) => one.isConnected && isInside(one))
  if (!(place instanceof HTMLElement)) return
  if (!place.hasAttribute('tabindex')) place.tabIndex = -1
  place.focus({ preventScroll: true })
}
