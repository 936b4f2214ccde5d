import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffRoleChange, staffRoleMake } from '@/lib/api/gen/staff/sdk.gen'
import type { OwnRole, RoleList } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { Notice } from '@/ui/notice'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { roleAt, rolesQuery } from './resource'
import { chosen, roleValues, useRoleSections } from './role-form'
import { useRoleName } from './role-name'
import { RolePermissions } from './role-permissions'
import { useRoleActions } from './role-actions'

const route = getRouteApi('/admin/roles/$id')
const newRoute = getRouteApi('/admin/roles/new')
const page = { to: '/admin/roles' } as const

/** One role: what it may do, to be changed where it is one's own and goes not beyond one's own permissions. */
export function RolePage() {
  const { t } = useTranslation('console/team')
  const { id } = route.useParams()
  const query = useQuery(rolesQuery())
  return (
    <div data-wide>
      {!query.data && <Header title={t('roles.title')} />}
      <Loaded query={query} skeleton={<Skeleton height={640} radius="lg" />} hasCards>
        {(list) => <Role key={id} list={list} address={id} />}
      </Loaded>
    </div>
  )
}

function Header(props: { title: string; about?: string; menu?: ReactNode }) {
  const { t } = useTranslation('console/team')
  return <DetailHeader list={{ title: t('roles.title'), link: page }} {...props} />
}

function Role({ list, address }: { list: RoleList; address: string }) {
  const { t } = useTranslation('console/team')
  const nameOf = useRoleName()
  const may = useMay()
  const navigate = useNavigate()
  const actions = useRoleActions(() => void navigate(page))
  const role = roleAt(list, address)
  if (!role)
    return (
      <>
        <Header title={t('roles.title')} />
        <Text>{t('gone')}</Text>
      </>
    )
  return (
    <>
      <Header
        title={nameOf(role.name)}
        about={t('roles.heldBy', { count: role.members })}
        menu={<ActionMenu subject={role} name={nameOf(role.name)} actions={actions} />}
      />
      {role.id > 0 && role.may_give && may('staff.role.write') ? (
        <Edit list={list} address={address} />
      ) : (
        <RolePermissions list={list} role={role} />
      )}
    </>
  )
}

function Edit({ list, address }: { list: RoleList; address: string }) {
  const { t } = useTranslation('console/team')
  const leave = useLeave()
  const { edited, reload } = useEdited(list, rolesQuery(), (present) =>
    roleValues(present, roleAt(present, address)),
  )
  const sections = useRoleSections(edited, false)
  const role = roleAt(edited, address) as OwnRole
  return (
    <>
      {role.unknown.length > 0 && (
        <Notice tone="warning">{t('roles.unknown', { names: role.unknown.join(', ') })}</Notice>
      )}
      <ResourceForm
        draftKey={`role:${role.id}`}
        initial={roleValues(edited, role)}
        sections={sections}
        submit={t('roles.save')}
        confirm={() => t('roles.saveEffect', { name: role.name, count: role.members })}
        save={(values) =>
          staffRoleChange({
            path: { role_id: role.id },
            headers: { 'If-Match': `"${role.version}"` },
            body: { permissions: chosen(edited, values, role), reason: String(values.reason) },
            throwOnError: true,
          })
        }
        reload={reload}
        onSaved={() => leave(page, t('roles.saved', { name: role.name }))}
      />
    </>
  )
}

/** A new role, or one made from another. */
export function NewRolePage() {
  const { t } = useTranslation('console/team')
  const query = useQuery(rolesQuery())
  return (
    <div data-wide>
      <Header title={t('roles.new')} />
      <Loaded query={query} skeleton={<Skeleton height={640} radius="lg" />} hasCards>
        {(list) => <Make list={list} />}
      </Loaded>
    </div>
  )
}

function Make({ list: first }: { list: RoleList }) {
  const { t } = useTranslation('console/team')
  const leave = useLeave()
  const { from } = newRoute.useSearch()
  const [list] = useState(first)
  const sections = useRoleSections(list, true)
  const make = (values: FormValues) =>
    staffRoleMake({
      body: {
        name: String(values.name),
        permissions: chosen(list, values),
        reason: String(values.reason),
      },
      throwOnError: true,
    })
  return (
    <ResourceForm
      draftKey={`role:new:${from ?? ''}`}
      initial={{
        name: '',
        ...roleValues(list, from === undefined ? undefined : roleAt(list, from)),
      }}
      isNew
      sections={sections}
      submit={t('roles.make')}
      save={make}
      onSaved={() => leave(page, t('roles.made'))}
    />
  )
}
