import type { LinkProps } from '@tanstack/react-router'

type Address = Extract<
  NonNullable<LinkProps['to']>,
  `/admin/${string}/new` | `/admin/${string}/edit` | '/admin/nodes/several'
>

/**
 * The pages that are nothing but a form, and what its operation needs: for a member without that they do not exist. Pages
 * that show an object to whoever may read it decide themselves whether they draw its form.
 */
export const formPermissions: Record<Address, string> = {
  '/admin/announcements/new': 'announcement.write',
  '/admin/cd-keys/new': 'cdkey.make',
  '/admin/coupons/new': 'coupon.write',
  '/admin/gateways/new': 'gateway.write',
  '/admin/guides/new': 'guide.write',
  '/admin/nodes/$id/edit': 'node.write',
  '/admin/nodes/new': 'node.write',
  '/admin/nodes/several': 'node.write',
  '/admin/orders/new': 'order.make',
  '/admin/plans/new': 'plan.write',
  '/admin/reconciliation/new': 'money.reconcile',
  '/admin/roles/new': 'staff.role.write',
  '/admin/share-accounts/new': 'shareaccount.write',
}

const forms = Object.entries(formPermissions).map(([address, permission]) => ({
  pattern: new RegExp(`^${address.replace('$id', '[^/]+')}/?$`),
  permission,
}))

/** What the form at an address needs; undefined where there is none. */
export const formPermissionAt = (path: string): string | undefined =>
  forms.find(({ pattern }) => pattern.test(path))?.permission
