import { http } from 'msw'
import { formPermissions } from '@/features/console/parts/form-permissions'
import { consolePages } from '@/app/console/navigation'
import type { StaffRole } from '@/lib/api/gen/staff/types.gen'
import { success } from './msw/server'

/** All that any page of the console asks for. */
const everything = [
  ...consolePages.flatMap(({ pages }) => pages.flatMap(({ permission }) => permission ?? [])),
  ...Object.values(formPermissions),
]

/** Who is signed in is a member of staff who may do this; without a list everything that pages ask for. */
export const asStaff = (...permissions: string[]) => [
  http.get('*/api/v2/user/get_me', () =>
    success({ is_ban: false, ban: null, staff_role: 'owner', staff_two_factor_due: false }),
  ),
  http.get('*/api/v2/staff/role', () =>
    success({
      role: 'owner',
      areas: [
        {
          name: 'All',
          commands: [],
          permissions: (permissions.length > 0
            ? [...permissions, 'overview.read']
            : everything
          ).map((permission) => ({
            permission,
            allows: permission,
            in_contract: true,
          })),
        },
      ],
    } satisfies StaffRole),
  ),
]
