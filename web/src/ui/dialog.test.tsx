import { MantineProvider } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { startI18n } from '@/app/i18n'
import { Dialog } from './dialog'

function Opener() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Open</button>
      {isOpen && (
        <Dialog title="A question" onClose={() => setOpen(false)}>
          <button>Inside</button>
        </Dialog>
      )}
    </>
  )
}

it('takes the focus and gives it back', async () => {
  document.documentElement.lang = 'en'
  await startI18n()
  render(
    <MantineProvider>
      <Opener />
    </MantineProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Open' }))
  const dialog = await screen.findByRole('dialog', { name: 'A question' })
  await waitFor(() => expect(dialog).toContainElement(document.activeElement as HTMLElement))
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByRole('button', { name: 'Open' })).toHaveFocus()
})
