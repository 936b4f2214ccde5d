import { Skeleton, Stack } from '@mantine/core'

export function TableSkeleton() {
  return (
    <Stack gap="sm">
      {Array.from({ length: 6 }, (_, index) => (
        <Skeleton key={index} height={48} />
      ))}
    </Stack>
  )
}
