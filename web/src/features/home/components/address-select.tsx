import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Which of the site's addresses the link has: where one is blocked, another may not be. */
export function AddressSelect(props: {
  urls: readonly string[]
  url: string
  className: string | undefined
  onChange: (host: string) => void
}) {
  const { t } = useTranslation('home')
  return (
    <NativeSelect
      className={props.className}
      size="md" // as high as the buttons next to it
      aria-label={t('linkAddress')}
      data={props.urls.map((url) => new URL(url).host)}
      value={new URL(props.url).host}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}
