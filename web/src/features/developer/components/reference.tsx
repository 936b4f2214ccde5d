import { Anchor, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { SearchField } from '@/ui/search-field'
import { type Contract, contractOptions, isStaffs, operationsOf, searchGroups } from '../contract'
import { OperationView } from './operation-view'
import classes from './reference.module.css'

const route = getRouteApi('/user/developer')

/** The API reference, made from the server's contract. Only staff see the operations of staff. */
export function Reference() {
  const contract = useQuery(contractOptions())
  return (
    <Loaded query={contract} skeleton={<Skeleton height={420} radius="lg" />} hasCards>
      {(found) => <Operations contract={found} />}
    </Loaded>
  )
}

function Operations({ contract }: { contract: Contract }) {
  const { t } = useTranslation('developer')
  const { q = '', op } = route.useSearch()
  const navigate = route.useNavigate()
  const go = (change: { q?: string | undefined; op?: string | undefined }) =>
    void navigate({
      search: (search) => ({ ...search, ...change }),
      replace: true,
      resetScroll: false,
    })
  const { data: me } = useQuery(userGetMeOptions())
  const shown = operationsOf(contract).filter(({ group }) => me?.staff_role || !isStaffs(group))
  const groups = searchGroups(shown, q)
  return (
    <Stack gap="lg">
      <Text c="dimmed">
        {t('reference.about')}{' '}
        <Anchor href="/api/v2/openapi.json" underline="always" inherit>
          openapi.json
        </Anchor>
      </Text>
      <SearchField
        label={t('reference.search')}
        value={q}
        onSearch={(words) => go({ q: words || undefined })}
      />
      {groups.length === 0 && <Empty icon={SearchX} text={t('reference.nothing', { q })} />}
      {groups.map(({ name, operations }) => (
        <section key={name} aria-labelledby={`group-${name}`}>
          <Title order={2} size="h3" id={`group-${name}`} mb="sm">
            {isStaffs(name)
              ? t('reference.staff', { name: name.replace('staff/', '') })
              : t(`reference.topic.${name}`)}
          </Title>
          <div className={classes.list}>
            {operations.map((operation) => (
              <OperationView
                key={operation.id}
                contract={contract}
                operation={operation}
                isOpen={operation.id === op}
                onToggle={(isOpen) => {
                  if (isOpen) go({ op: operation.id })
                  else if (operation.id === op) go({ op: undefined })
                }}
              />
            ))}
          </div>
        </section>
      ))}
    </Stack>
  )
}
