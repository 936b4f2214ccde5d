import { Button, MantineProvider } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { beforeAll, expect, it, vi } from 'vitest'
import { keepFocus } from './keep-focus'
import { theme } from './theme'

beforeAll(keepFocus)

const show = (page: React.ReactNode) =>
  render(
    <MantineProvider theme={theme}>
      <main>{page}</main>
    </MantineProvider>,
  )

function Saving({ onSave }: { onSave: () => void }) {
  const [isBusy, setBusy] = useState(false)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
        setBusy(true)
      }}
    >
      <input aria-label="Name" />
      <Button type="submit" loading={isBusy}>
        Save
      </Button>
    </form>
  )
}

it('a button that was pressed keeps label and focus while it loads, and sends nothing more', async () => {
  const save = vi.fn<() => void>()
  show(<Saving onSave={save} />)
  const user = userEvent.setup()
  const button = screen.getByRole('button', { name: 'Save' })
  button.focus()
  await user.keyboard('{Enter}')
  expect(button).toHaveAttribute('aria-disabled', 'true')
  expect(button).toBeEnabled()
  expect(button).toHaveFocus()
  expect(button).toHaveAccessibleName('Save')
  await user.keyboard('{Enter} ')
  await user.click(button)
  expect(save).toHaveBeenCalledTimes(1)
  await user.type(screen.getByLabelText('Name'), 'x{Enter}')
  expect(save).toHaveBeenCalledTimes(1)
  expect(button).toBeDisabled()
})

function Rows() {
  const [rows, setRows] = useState(['one', 'two'])
  return (
    <ul aria-label="Rows">
      {rows.map((row) => (
        <li key={row}>
          <button type="button" onClick={() => setRows(rows.filter((other) => other !== row))}>
            {row}
          </button>
        </li>
      ))}
    </ul>
  )
}

it('the focus goes to the nearest part that is left when what had it is taken away', async () => {
  show(<Rows />)
  const user = userEvent.setup()
  await user.tab()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.getByRole('list')).toHaveFocus())
  await user.tab()
  expect(screen.getByRole('button', { name: 'two' })).toHaveFocus()
})

it('who presses beside the fields leaves them for good', async () => {
  show(
    <>
      <p>Text</p>
      <Rows />
    </>,
  )
  const user = userEvent.setup()
  await user.tab()
  await user.click(screen.getByText('Text'))
  screen.getByRole('button', { name: 'two' }).click()
  await new Promise((done) => setTimeout(done, 10))
  expect(document.body).toHaveFocus()
})
