import { describe, expect, it } from 'vitest'
import { bytesParts, formatBytes } from './bytes'
import { formatMoney, moneyParts, toAmount, toMinor } from './money'
import { formatCountdown } from './countdown'
import { calendarDay, daysUntil, formatDate, hoursUntil, lastMoment } from './time'

describe('bytes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1 KB'],
    [1536, '1.5 KB'],
    [82.44 * 1024 ** 3, '82.4 GB'],
    [1000 * 1024 ** 3, '1 TB'],
    [200 * 1024 ** 3, '200 GB'],
  ])('%d', (bytes, text) => {
    expect(formatBytes(bytes, 'en')).toBe(text)
  })

  it('come in parts', () => {
    expect(bytesParts(1536, 'en')).toEqual({ value: '1.5', unit: 'KB' })
  })
})

describe('money', () => {
  it('is counted in minor units, exactly', () => {
    expect(toMinor('0.29')).toBe(29)
    expect(toMinor('-8.50')).toBe(-850)
    expect(toAmount(toMinor('1234.57') + 1)).toBe('1234.58')
  })

  it('is written with its sign', () => {
    expect(formatMoney('1234.5', 'CNY', 'en')).toBe('¥1,234.50')
    expect(formatMoney('-8.50', 'USD', 'en')).toBe('-$8.50')
    const small = moneyParts('12.30', 'CNY', 'zh-CN').filter((part) => part.isSmall)
    expect(small.map((part) => part.value)).toEqual(['¥'])
  })
})

describe('time', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')

  it('is left in whole hours', () => {
    expect(hoursUntil('2026-11-20T14:59:00Z', now)).toBe(2)
    expect(hoursUntil('2026-11-20T11:00:00Z', now)).toBe(0)
  })

  it('is left in days of the calendar, as the date that is shown for it', () => {
    const morning = new Date(2026, 10, 29, 8).getTime()
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
    expect(daysUntil(at(29, 23), morning)).toBe(0)
    expect(daysUntil(at(30, 1), morning)).toBe(1)
    expect(daysUntil(at(30, 16), morning)).toBe(1)
    expect(daysUntil(at(28, 8), morning)).toBe(0)
  })

  it('of an end is its last moment: what ends at midnight ends with the day before', () => {
    const midnight = new Date(2026, 11, 1).toISOString()
    expect(formatDate(lastMoment(midnight), 'en')).toMatch(/^Nov 30/)
    expect(daysUntil(lastMoment(midnight), new Date(2026, 10, 29, 8).getTime())).toBe(1)
  })

  it('is counted down in minutes and seconds', () => {
    expect(formatCountdown(29 * 60_000 + 4_200)).toBe('29:05')
    expect(formatCountdown(-5)).toBe('00:00')
  })

  it('has its year only where one could take it for another', () => {
    const soon = Date.now() + 40 * 86_400_000
    expect(formatDate(soon, 'en')).not.toMatch(/\d{4}/)
    expect(formatDate('2020-02-26T12:00:00Z', 'en')).toMatch(/2020/)
  })

  it('falls on the day of its zone', () => {
    const evening = Date.parse('2026-11-19T16:00:00Z')
    expect(calendarDay(evening, 'Asia/Shanghai')).toBe(Date.UTC(2026, 10, 20))
    expect(calendarDay(evening, 'America/Los_Angeles')).toBe(Date.UTC(2026, 10, 19))
  })
})
