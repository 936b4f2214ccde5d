import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type Ref, useState } from 'react'

/**
 * Searches a list by words that stand in the address. The address follows a moment after a key, so that the field shows what
 * is typed by itself for as long as it has the focus: else the caret jumps, and an input method loses what it composes.
 */
export function SearchField(props: {
  label: string
  value: string
  onSearch: (words: string) => void
  className?: string
  ref?: Ref<HTMLInputElement>
}) {
  const { label, value, onSearch, className, ref } = props
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      ref={ref}
      type="search"
      enterKeyHint="search"
      className={className}
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={18} strokeWidth={1.75} />}
      value={typed ?? value}
      onChange={({ currentTarget, nativeEvent }) => {
        setTyped(currentTarget.value)
        if (!(nativeEvent as InputEvent).isComposing) onSearch(currentTarget.value)
      }}
      onCompositionEnd={({ currentTarget }) => onSearch(currentTarget.value)}
      onBlur={() => setTyped(undefined)}
    />
  )
}
