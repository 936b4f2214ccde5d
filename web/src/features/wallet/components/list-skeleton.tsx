import { Skeleton, Stack } from '@mantine/core'

export function ListSkeleton() {
  return (
    <Stack gap="sm">
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} height={44} />
      ))}
    </Stack>
  )
}
