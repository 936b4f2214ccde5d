import { type ClipboardEvent, type DragEvent, useState } from 'react'

/** Takes files that are dropped on an element. What else is dragged over it is left alone. */
export function useFileDrop(add: (files: Iterable<File>) => void) {
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    'data-dropping': isOver,
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: (event: DragEvent) => {
      const isInside =
        event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)
      if (!isInside) setOver(false)
    },
    onDrop: (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      add(event.dataTransfer.files)
    },
  }
}

/** Takes pictures and files that are pasted. Text that comes with a picture of itself, as from a spreadsheet, stays text. */
export const pastesFiles = (add: (files: Iterable<File>) => void) => (event: ClipboardEvent) => {
  const { files, types } = event.clipboardData
  if (files.length === 0 || types.includes('text/plain')) return
  event.preventDefault()
  add(files)
}
