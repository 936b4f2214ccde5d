import { MantineProvider } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '@/lib/api/errors'
import { startI18n } from '@/app/i18n'
import { Confirm } from './confirm'

const onConfirm = vi.fn<() => Promise<unknown>>()
const onClose = vi.fn<() => void>()

beforeEach(async () => {
  vi.resetAllMocks()
  document.documentElement.lang = 'en'
  await startI18n()
  render(
    <MantineProvider>
      <Confirm
        opened
        title="Reset the link"
        consequence="All devices must import it again."
        action="Reset"
        onConfirm={onConfirm}
        onClose={onClose}
      />
    </MantineProvider>,
  )
})

it('does it and closes', async () => {
  onConfirm.mockResolvedValue(undefined)
  await userEvent.click(await screen.findByRole('button', { name: 'Reset' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(onConfirm).toHaveBeenCalledOnce()
})

it('stays open and says why it did not work', async () => {
  onConfirm.mockRejectedValue(new ApiError('Not now', { status: 409, code: 'conflict' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Reset' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('Not now')
  expect(onClose).not.toHaveBeenCalled()
})

it('does nothing when it is cancelled', async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledOnce()
  expect(onConfirm).not.toHaveBeenCalled()
})
