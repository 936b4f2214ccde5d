import { useTranslation } from 'react-i18next'
import type { SettingItem, SettingList, SettingSecret } from '@/lib/api/gen/staff/types.gen'
import type { Field } from '../parts/field'
import { useMay } from '../parts/permissions'
import type { FormSection, FormValues } from '../parts/resource-form'
import { SettingFoot } from './setting-foot'
import classes from './settings.module.css'
import { type Trial, TrialButton, trialsOf } from './trial'
import { formOf, inputOf, isSensitive, removalOf } from './values'

const kinds: Record<SettingItem['kind'], Field['kind']> = {
  text: 'text',
  long_text: 'textarea',
  markdown: 'markdown',
  colour: 'text',
  number: 'number',
  amount: 'money',
  switch: 'switch',
  choice: 'choice',
  texts: 'lines',
  numbers: 'lines',
  amounts: 'lines',
  class_names: 'lines',
}

/** Above it a bound says nothing that anybody would meet. */
const HIGH = 1_000_000

/** The form of all settings, made from what the server says of each: an area is a section. */
export function useSettingSections(
  list: SettingList,
  shown: { area: string; words: string },
): FormSection[] {
  const { t } = useTranslation('console/system')
  const fieldOf = useField()
  const secretOf = useSecret()
  const before = formOf(list)
  const words = shown.words.toLowerCase()
  const isFound = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(words))
  const sections = list.areas.map(({ area, name }): FormSection => {
    const items = list.settings.filter((one) => one.area === area)
    const secrets = list.secrets.filter((one) => one.area === area)
    const found = (one: SettingItem | SettingSecret) =>
      !words || isFound(one.name, one.title, 'hint' in one ? one.hint : '', name)
    const fields = [...items.filter(found).map(fieldOf), ...secrets.filter(found).flatMap(secretOf)]
    return {
      title: name,
      // What was changed before one searched is still listed among the changes.
      fields: (values) => [
        ...fields,
        ...items.filter((one) => !found(one) && values[one.name] !== before[one.name]).map(fieldOf),
      ],
      foot: (trialsOf[area as keyof typeof trialsOf] ?? []).map((kind: Trial) => (
        <TrialButton key={kind} kind={kind} />
      )),
      isHidden: words ? fields.length === 0 : area !== shown.area,
    }
  })
  const why: FormSection = {
    title: t('settings.why'),
    about: t('settings.whyAbout'),
    fields: (values) =>
      isSensitive(list, changedOf(before, values))
        ? [
            {
              name: 'reason',
              label: t('settings.reason'),
              kind: 'textarea',
              isRequired: true,
              rules: { maxLength: 500 },
            },
          ]
        : [],
  }
  return [...sections, why]
}

const changedOf = (before: FormValues, values: FormValues) =>
  Object.keys(values).filter((name) => values[name] !== before[name])

function useField() {
  const { t } = useTranslation('console/system')
  const may = useMay()
  return (item: SettingItem): Field => {
    const isLocked = !may(item.is_sensitive ? 'setting.sensitive.write' : 'setting.write')
    const { least, most } = item
    const range =
      item.kind === 'number' && most && Number(most) < HIGH && t('settings.range', { least, most })
    const hint = [
      item.kind === 'class_names' ? t('settings.classLines') : item.hint,
      range,
      item.is_sensitive && t('settings.sensitive'),
    ]
    return {
      name: item.name,
      label: item.unit ? t('settings.withUnit', item) : item.title,
      hint: hint.filter(Boolean).join(' · '),
      kind: isLocked ? 'shown' : kinds[item.kind],
      options: item.choices.map(({ value, text }) => ({ value, label: text })),
      foot: (set) => (
        <>
          {item.kind === 'colour' && !isLocked && (
            <input
              type="color"
              className={classes.colour}
              aria-label={t('settings.pickColour', { name: item.title })}
              defaultValue={String(item.value) || '#146f87'}
              onChange={(event) => set(event.target.value)}
            />
          )}
          <SettingFoot
            item={item}
            onSet={(value) => set(inputOf(item.kind, value))}
            isLocked={isLocked}
          />
        </>
      ),
    }
  }
}

function useSecret() {
  const { t } = useTranslation('console/system')
  const may = useMay()
  return ({ name, title, is_set: isSet }: SettingSecret): Field[] => {
    if (!may('setting.sensitive.write')) return []
    const written: Field = {
      name,
      label: title,
      hint: t(isSet ? 'settings.secretSet' : 'settings.secretUnset'),
      kind: 'secret',
    }
    const removed: Field = {
      name: removalOf(name),
      label: t('settings.removeSecret', { name: title }),
      kind: 'switch',
    }
    return isSet ? [written, removed] : [written]
  }
}
