import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Email } from './email'

it('breaks an address before its signs, and reads as one word', () => {
  render(
    <a href="/">
      <Email address="a.user@example.com" />
    </a>,
  )
  const link = screen.getByRole('link', { name: 'a.user@example.com' })
  expect(link.innerHTML).toBe('a<wbr>.user<wbr>@example<wbr>.com')
})
