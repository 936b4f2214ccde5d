import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { inviteGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { toMinor } from '@/lib/money'
import { OwnBan } from '@/ui/ban-notice'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { Codes } from './components/codes'
import { CommissionCard } from './components/commission-card'
import { Earnings } from './components/earnings'
import { InviteLink } from './components/invite-link'
import { People } from './components/people'
import classes from './promote-page.module.css'

/** The user's invite link and the users who signed up with it. */
export function PromotePage() {
  const { t } = useTranslation('invite')
  const invite = useQuery(inviteGetOptions())
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <OwnBan />
      <div className={classes.page}>
        <Loaded query={invite} skeleton={<Skeleton height={318} radius="lg" />} hasCards>
          {(found) => (
            <>
              <div className={classes.cards}>
                <InviteLink invite={found} />
                <Earnings invite={found} />
              </div>
              <Codes />
              {(found.commission_permille > 0 || toMinor(found.total_commission) > 0) && (
                <CommissionCard invite={found} />
              )}
              <Card component="section" aria-labelledby="people">
                <div className={classes.head}>
                  <h2 id="people">{t('people')}</h2>
                  {found.total_invites > found.invited_users.length && (
                    <span>{t('newest', { count: found.invited_users.length })}</span>
                  )}
                </div>
                <People people={found.invited_users} />
              </Card>
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}
