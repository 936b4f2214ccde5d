import { afterEach, expect, it, vi } from 'vitest'
import { copyText } from './copy'

afterEach(() => vi.unstubAllGlobals())

it('uses the clipboard where there is one', async () => {
  const writeText = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  expect(await copyText('text')).toBe(true)
  expect(writeText).toHaveBeenCalledWith('text')
})

it('selects and copies where the context is not secure, and gives the focus back', async () => {
  vi.stubGlobal('navigator', {})
  let selected = ''
  document.execCommand = () => {
    selected = (document.activeElement as HTMLTextAreaElement).value
    return true
  }
  const button = document.body.appendChild(document.createElement('button'))
  button.focus()
  expect(await copyText('text')).toBe(true)
  expect(selected).toBe('text')
  expect(button).toHaveFocus()
  expect(document.querySelector('textarea')).toBeNull()
  button.remove()
})
