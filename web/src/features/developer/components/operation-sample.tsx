import { SegmentedControl, Stack } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import type { Contract, Operation } from '../contract'
import { type SampleLanguage, sampleLanguages, sampleOf } from '../samples'
import { CodeBlock } from './code-block'

/** Sample code for one operation in the language chosen last. */
export function OperationSample(props: { contract: Contract; operation: Operation }) {
  const { t } = useTranslation('developer')
  const { data: site } = useQuery(siteOptions())
  const [language, setLanguage] = useLocalStorage<SampleLanguage>({
    key: 'sample_language',
    defaultValue: 'curl',
    getInitialValueInEffect: false,
  })
  const known = language in sampleLanguages ? language : 'curl'
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="sm"
        withItemsBorders={false}
        aria-label={t('samples.language')}
        value={known}
        onChange={setLanguage}
        data={Object.entries(sampleLanguages).map(([value, label]) => ({
          value: value as SampleLanguage,
          label,
        }))}
      />
      <CodeBlock
        name={sampleLanguages[known]}
        text={sampleOf(known, { ...props, site: site?.site_url || location.origin })}
      />
    </Stack>
  )
}
