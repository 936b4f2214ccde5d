import type { Site } from '@/lib/api/site'
import { gatewaysOf } from '@/lib/gateways'
import { amountProblem, normalAmount } from './model'

/** The amount that the form starts with: the one tried before, else a preset. */
export const startAmount = ({ recharge: { presets } }: Site, again: string | undefined) =>
  again ?? presets[1] ?? presets[0] ?? ''

/** The ways to pay that amount. */
export function startGateways(site: Site, again: string | undefined) {
  const amount = startAmount(site, again)
  const { min, max } = site.recharge
  return gatewaysOf(amountProblem(amount, min, max) ? {} : { amount: normalAmount(amount) })
}
