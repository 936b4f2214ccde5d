import { Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffTicketsList } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffTicket } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { TextLink } from '@/ui/text-link'
import { Email } from '../parts/email'
import classes from './tickets.module.css'

const MOST_OTHERS = 6

/** Who writes, and what else they wrote about. */
export function CustomerFacts({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('console/ticket')
  const { user } = ticket
  const others = useQuery({
    queryKey: ['console', 'tickets', 'of', user.id],
    queryFn: async ({ signal }) =>
      (
        await staffTicketsList({
          query: { user_id: user.id, limit: MOST_OTHERS },
          signal,
          throwOnError: true,
        })
      ).data,
  })
  return (
    <aside aria-label={t('customer')} className={classes.facts}>
      <Card>
        <Title order={2} size="h3" mb="sm">
          {t('customer')}
        </Title>
        <Facts>
          <Fact name={t('customerName')}>{user.name || '—'}</Fact>
          <Fact name={t('customerEmail')}>
            <Email address={user.email} />
          </Fact>
          <Fact name={t('customerNo')}>{user.id}</Fact>
          <Fact name={t('column.priority')}>{t(`priority.${ticket.priority}`)}</Fact>
        </Facts>
        <Title order={3} size="h4" mt="md" mb="xs">
          {t('others')}
        </Title>
        <Loaded query={others} skeleton={<Skeleton height={60} />}>
          {({ tickets }) => {
            const rest = tickets.filter(({ no }) => no !== ticket.no)
            return rest.length === 0 ? (
              <p>{t('noOthers')}</p>
            ) : (
              <ul className={classes.others}>
                {rest.map(({ no, title }) => (
                  <li key={no}>
                    <TextLink to="/admin/tickets/$id" params={{ id: String(no) }}>
                      {title}
                    </TextLink>
                  </li>
                ))}
              </ul>
            )
          }}
        </Loaded>
      </Card>
    </aside>
  )
}
