import { describe, expect, it } from 'vitest'
import { node } from '@/test/fixtures'
import { countNodeStates, nodeState, nodeTones } from './node-state'

describe('the state of a node', () => {
  it.each([
    ['online', 0, 'online'],
    ['online', 69.9, 'online'],
    ['online', 70, 'busy'],
    ['online', 89.9, 'busy'],
    ['online', 90, 'full'],
    ['online', 100, 'full'],
    ['late', 100, 'late'],
    ['offline', 100, 'offline'],
  ] as const)('%s with a load of %d percent is %s', (status, load, state) => {
    expect(nodeState(node({ status, load }))).toBe(state)
  })

  it('is green only for a node that answers and has room', () => {
    const green = Object.entries(nodeTones).filter(([, tone]) => tone === 'success')
    expect(green).toEqual([['online', 'success']])
  })

  it('is counted, the best first, without states that no node has', () => {
    const nodes = [node({ load: 100 }), node(), node({ status: 'offline' }), node({ load: 95 })]
    expect(countNodeStates(nodes)).toEqual([
      { state: 'online', count: 1 },
      { state: 'full', count: 2 },
      { state: 'offline', count: 1 },
    ])
  })
})
