import { Badge, Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { staffRole } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffArea } from '@/lib/api/gen/staff/types.gen'
import { builtInRole } from '@/lib/built-in-role'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import classes from './staff-page.module.css'

/** What a member of staff may do, by area, with the commands and the calls for it. */
export function StaffPage() {
  const { t } = useTranslation('staff')
  const me = useQuery(userGetMeOptions())
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Loaded query={me} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
        {({ staff_role: role, staff_two_factor_due: isDue }) => {
          if (!role)
            return (
              <Card>
                <Empty icon={ShieldX} text={t('none')} />
              </Card>
            )
          const known = builtInRole(role)
          return (
            <div className={classes.page}>
              <Card component="section" aria-label={t('badge')} className={classes.role}>
                <Badge size="lg" variant="light" tt="none">
                  {known ? t(`role.${known}`) : role}
                </Badge>
                <p>{t('how')}</p>
                {!isDue && (
                  <p>
                    <TextLink to="/admin">{t('console')}</TextLink>
                  </p>
                )}
                <p>
                  <TextLink to="/user/developer" search={{ tab: 'reference', q: '/staff/' }}>
                    {t('reference')}
                  </TextLink>
                </p>
              </Card>
              {isDue ? (
                <Notice
                  tone="warning"
                  action={<TextLink to="/user/account/security">{t('security')}</TextLink>}
                >
                  {t('due')}
                </Notice>
              ) : (
                <Areas />
              )}
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

function Areas() {
  const { i18n } = useTranslation()
  const role = useQuery({
    // The server describes permissions in the reader's language.
    queryKey: ['staff-role', i18n.language],
    queryFn: async ({ signal }) => (await staffRole({ signal })).data,
  })
  return (
    <Loaded query={role} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
      {({ areas }) => (
        <div className={classes.areas}>
          {areas.map((area) => (
            <Area key={area.name} area={area} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function Area({ area: { name, commands, permissions } }: { area: StaffArea }) {
  const { t } = useTranslation('staff')
  return (
    <Card component="section" aria-label={name} className={classes.area}>
      <h2>{name}</h2>
      <ul className={classes.permissions}>
        {permissions.map(({ permission, allows, in_contract: isFound }) => (
          <li key={permission}>
            <span>{allows}</span>
            {isFound ? (
              <TextLink
                to="/user/developer"
                search={{ tab: 'reference', q: permission }}
                aria-label={t('calls', { permission })}
                className={classes.name}
              >
                {permission}
              </TextLink>
            ) : (
              <span className={classes.name}>{permission}</span>
            )}
          </li>
        ))}
      </ul>
      {commands.length > 0 && (
        <ul aria-label={t('commands')} className={classes.commands}>
          {commands.map((command) => (
            <li key={command}>
              <code>{`airstrip ${command} --help`}</code>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
