import type { ResourceKey } from 'i18next'
import { addTexts } from '../i18n'

// Customers' pages do not even know the names of these files.
const files = import.meta.glob<ResourceKey>('../../locales/*/console/*.json', { import: 'default' })

addTexts(
  Object.fromEntries(
    Object.entries(files).map(([path, load]) => [path.replace('../../', '../'), load]),
  ),
)
