import type { FieldValues, UseFormReturn } from 'react-hook-form'
import type { Field } from './field'
import { FieldInput } from './field-input'

/** The fields of a dialog. The first that one can fill in gets the focus when the dialog opens. */
export function DialogFields<V extends FieldValues>(props: {
  fields: readonly Field[]
  form: UseFormReturn<V>
  values: FieldValues
}) {
  const first = firstOf(props.fields)
  return props.fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      form={props.form}
      value={props.values[field.name]}
      isFirst={field === first}
    />
  ))
}

export const firstOf = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ kind }) => kind !== 'shown')
