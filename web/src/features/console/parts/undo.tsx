import { Button, Group } from '@mantine/core'
import { toast } from '@/ui/toast'

const UNDO_MS = 10_000

/** Says in the corner that something was done, with a button that takes it back within ten seconds. */
export function showUndo(said: string, label: string, undo: () => Promise<void>): void {
  void toast('success', <Undo said={said} label={label} undo={undo} />, UNDO_MS)
}

function Undo(props: { said: string; label: string; undo: () => Promise<void> }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      {props.said}
      <Button size="compact-sm" variant="light" onClick={() => void props.undo()}>
        {props.label}
      </Button>
    </Group>
  )
}
