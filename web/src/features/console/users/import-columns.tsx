import { Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Item, Items, Section } from '../parts/section'

const columns = ['email', 'hash', 'name', 'kind', 'salt'] as const
const needed: ReadonlySet<string> = new Set(['email', 'hash'])
const kinds = ['bcrypt', 'argon2id', 'md5', 'sha256', 'md5salt', 'sha256salt'] as const

/** Which columns of a file are understood, and which kinds of hashes. */
export function ImportColumns() {
  const { t } = useTranslation('console/user-import')
  return (
    <>
      <Section title={t('columns.title')}>
        <Text c="dimmed" size="sm" mb="sm">
          {t('columns.about')}
        </Text>
        <Items>
          {columns.map((name) => (
            <Item
              key={name}
              name={<Code>{name}</Code>}
              state={needed.has(name) ? t('columns.needed') : t('columns.optional')}
              about={t(`column.${name}`)}
            />
          ))}
        </Items>
      </Section>
      <Section title={t('kinds.title')}>
        <Text c="dimmed" size="sm" mb="sm">
          {t('kinds.about')}
        </Text>
        <Items>
          {kinds.map((name) => (
            <Item key={name} name={<Code>{name}</Code>} state={null} about={t(`kind.${name}`)} />
          ))}
        </Items>
      </Section>
    </>
  )
}
