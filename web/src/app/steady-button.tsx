import { type ComponentPropsWithRef, type MouseEvent, useState } from 'react'

/**
 * A button that keeps the focus when it is disabled while it has it, as one that was pressed and loads: a browser would
 * give the focus to the body, and who works by keyboard or screen reader would begin at the top of the page. It does
 * nothing meanwhile, for Enter in a field of its form neither. What was not focused is disabled as usual.
 */
export function SteadyButton({ disabled, type, onClick, onFocus, onBlur, ...props }: Props) {
  const [isFocused, setFocused] = useState(false)
  const isHeld = Boolean(disabled) && isFocused
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (!isHeld) return onClick?.(event)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // oxlint-disable-next-line react/button-has-type -- submit where a form says so
    <button
      {...props}
      type={type ?? 'button'}
      disabled={Boolean(disabled) && !isHeld}
      {...(isHeld && { 'aria-disabled': true })}
      onClick={click}
      onFocus={(event) => {
        setFocused(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setFocused(false)
        onBlur?.(event)
      }}
    />
  )
}

type Props = ComponentPropsWithRef<'button'>
