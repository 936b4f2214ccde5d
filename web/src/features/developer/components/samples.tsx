import { Card, NativeSelect, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Trans, useTranslation } from 'react-i18next'
import { Code } from '@mantine/core'
import { Loaded } from '@/ui/loaded'
import { type Contract, contractOptions, operationsOf, summaryIn } from '../contract'
import { TOKEN_VARIABLE } from '../samples'
import { OperationSample } from './operation-sample'

const route = getRouteApi('/user/developer')

/** Sample code for a first call. */
export function Samples() {
  const contract = useQuery(contractOptions())
  return (
    <Card component="section">
      <Loaded query={contract} skeleton={<Skeleton height={320} />}>
        {(found) => <Chosen contract={found} />}
      </Loaded>
    </Card>
  )
}

function Chosen({ contract }: { contract: Contract }) {
  const { t, i18n } = useTranslation('developer')
  const { op } = route.useSearch()
  const navigate = route.useNavigate()
  const forPrograms = operationsOf(contract).filter(({ scope }) => scope !== undefined)
  const wanted = op ?? 'user_get_me'
  const operation = forPrograms.find(({ id }) => id === wanted) ?? forPrograms[0]
  if (!operation) return null
  return (
    <Stack gap="lg">
      <Text>
        <Trans
          t={t}
          i18nKey="samples.about"
          values={{ variable: TOKEN_VARIABLE }}
          components={{ code: <Code /> }}
        />
      </Text>
      <NativeSelect
        label={t('samples.call')}
        description={summaryIn(i18n.language, operation)}
        size="md"
        value={operation.id}
        onChange={({ currentTarget: { value } }) =>
          void navigate({
            search: (search) => ({ ...search, op: value }),
            replace: true,
            resetScroll: false,
          })
        }
        data={forPrograms.map(({ id, method, path }) => ({
          value: id,
          label: `${method} ${path}`,
        }))}
      />
      <OperationSample contract={contract} operation={operation} />
    </Stack>
  )
}
