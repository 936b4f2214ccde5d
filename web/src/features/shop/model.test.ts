import { describe, expect, it } from 'vitest'
import { lightPlan, plan } from '@/test/fixtures'
import {
  defaultPlan,
  obstacleTo,
  periodsOf,
  perMonth,
  priceFor,
  savingOf,
  splitTraits,
} from './model'

const standard = plan()
const light = lightPlan()

describe('periods and prices', () => {
  it('are all that any plan has, shortest first', () => {
    expect(periodsOf([standard, light])).toEqual([1, 12])
    expect(priceFor(light, 12)).toBeUndefined()
  })

  it('come to a sum for one month, to the cent', () => {
    expect(perMonth({ shop_id: 1, months: 12, amount: '280.00' })).toBe('23.33')
    expect(perMonth({ shop_id: 1, months: 1, amount: '30.00' })).toBe('30.00')
  })

  it('save against the shortest period', () => {
    expect(savingOf(standard, 1)).toBe(0)
    expect(savingOf(standard, 12)).toBe(20)
    expect(savingOf(light, 12)).toBe(0)
  })

  it('never save less than nothing, nor of a free plan', () => {
    const dearer = plan({
      prices: [
        { shop_id: 1, months: 1, amount: '10.00' },
        { shop_id: 2, months: 3, amount: '60.00' },
      ],
    })
    expect(savingOf(dearer, 3)).toBe(0)
    expect(savingOf(plan({ prices: [{ shop_id: 1, months: 1, amount: '0.00' }] }), 1)).toBe(0)
  })
})

describe('traits', () => {
  it('that all plans have are told apart from those that differ', () => {
    expect(splitTraits([standard, light])).toEqual({
      shared: ['speed_mbps', 'reset'],
      own: ['devices'],
    })
  })

  it('name the class only where all plans have one with a name', () => {
    const named = [plan({ class_name: 'Basic' }), plan({ class_name: 'Plus' })]
    expect(splitTraits(named).own).toEqual(['class_name'])
    expect(splitTraits([...named, plan()]).own).toEqual([])
  })

  it('of a single plan are all its own', () => {
    expect(splitTraits([standard]).shared).toEqual([])
  })
})

describe('what is in the way of a purchase', () => {
  it.each([
    [undefined, plan()],
    [undefined, plan({ stock: 1, per_user: 2, bought: 1 })],
    ['soldOut', plan({ stock: 0 })],
    ['limit', plan({ per_user: 1, bought: 1 })],
  ] as const)('is %s', (obstacle, item) => expect(obstacleTo(item)).toBe(obstacle))
})

describe('the plan that is chosen for a start', () => {
  it('is the middle one of those that can be bought', () => {
    expect(defaultPlan([light, standard], 1)).toBe(light)
    expect(defaultPlan([light, standard], 12)).toBe(standard)
    expect(defaultPlan([plan({ stock: 0 })], 1)).toBeUndefined()
  })
})
