import { describe, expect, it } from 'vitest'
import { node } from '@/test/fixtures'
import { choicesOf, countryName, FAVOURITES, filterNodes, groupNodes, wordsOf } from './model'

const hongKong = node()
const tokyo = node({
  node_id: 2,
  node_name: 'Tokyo 01',
  country_code: 'JP',
  status: 'offline',
  protocol_support: ['hysteria2', 'tls'],
})
const nodes = [hongKong, tokyo]
const none = new Set<number>()

describe('the filter', () => {
  it.each([
    [{}, [1, 2]],
    [{ q: 'kong 01' }, [1]],
    [{ q: 'JP' }, [2]],
    [{ q: 'japan' }, [2]],
    [{ country: 'JP' }, [2]],
    [{ protocol: 'vless' }, [1]],
    [{ protocol: 'reality' }, []],
    [{ online: true }, [1]],
    [{ favourites: true }, []],
    [{ q: 'tokyo', online: true }, []],
  ])('%o', (filter, ids) => {
    expect(filterNodes(nodes, filter, none, 'en').map((found) => found.node_id)).toEqual(ids)
  })

  it('puts favourites first', () => {
    expect(filterNodes(nodes, {}, new Set([2]), 'en')).toEqual([tokyo, hongKong])
    expect(filterNodes(nodes, { favourites: true }, new Set([2]), 'en')).toEqual([tokyo])
    expect(filterNodes(nodes, {}, new Set([2]), 'en', none)).toEqual(nodes)
  })
})

it('finds a region by its name in the user’s language', () => {
  expect(filterNodes(nodes, { q: '日本' }, none, 'zh-CN')).toEqual([tokyo])
})

it('offers each country and protocol once, countries by their names', () => {
  const unknown = node({ country_code: 'ZZ' })
  const germany = node({ country_code: 'DE' })
  const france = node({ country_code: 'FR' })
  expect(choicesOf([unknown, germany, france, germany, tokyo], 'en')).toEqual({
    countries: [
      { code: 'FR', name: 'France' },
      { code: 'DE', name: 'Germany' },
      { code: 'JP', name: 'Japan' },
      { code: 'ZZ', name: '' },
    ],
    protocols: ['hysteria2', 'vless'],
  })
})

it('names countries in the user’s language, unknown ones not at all', () => {
  expect(countryName('JP', 'en')).toBe('Japan')
  expect(countryName('JP', 'zh-CN')).toBe('日本')
  expect(countryName('ZZ', 'en')).toBe('')
  expect(countryName('', 'en')).toBe('')
})

it('leaves out what goes without saying', () => {
  expect(wordsOf(hongKong)).toEqual(['vless', 'reality'])
})

it('puts nodes into their regions, favourites before them and locked ones behind', () => {
  const locked = node({ node_id: 3, class: 2 })
  const another = node({ node_id: 4 })
  const ids = (first: number[]) =>
    groupNodes([locked, tokyo, hongKong, another], new Set(first), new Set([3])).map(
      ({ code, nodes: list }) => [code, list.map(({ node_id }) => node_id)],
    )
  expect(ids([])).toEqual([
    ['HK', [1, 4, 3]],
    ['JP', [2]],
  ])
  expect(ids([2])).toEqual([
    [FAVOURITES, [2]],
    ['HK', [1, 4, 3]],
  ])
})
