import classes from './links.module.css'

/** A text with numbers beside its lines. It is as high as the text, so that the numbers never part from their lines. */
export function CodeArea(props: {
  label: string
  text: string
  isLocked: boolean
  onChange: (text: string) => void
}) {
  const lines = props.text.split('\n')
  return (
    <div className={classes.code}>
      <div aria-hidden="true" className={classes.numbers}>
        {lines.map((_, index) => index + 1).join('\n')}
      </div>
      <textarea
        aria-label={props.label}
        className={classes.text}
        value={props.text}
        rows={lines.length}
        readOnly={props.isLocked}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
      />
    </div>
  )
}
