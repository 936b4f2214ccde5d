import { Text, useComputedColorScheme } from '@mantine/core'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { CaptchaEvents } from './captcha'
import { loadVendor, vendors } from './vendors'

const NORMAL_WIDTH = 304

/** The widget of a provider, in the page's scheme and language. */
export function VendorWidget(
  props: { provider: keyof typeof vendors; siteKey: string } & CaptchaEvents,
) {
  const { t, i18n } = useTranslation('captcha')
  const { provider, siteKey } = props
  const theme = useComputedColorScheme('light')
  const place = useRef<HTMLDivElement>(null)
  const solved = useEffectEvent(props.onSolved)
  const expired = useEffectEvent(props.onExpired)
  const failed = useEffectEvent(() =>
    props.onFailed(t('vendorFailed', { name: vendors[provider].name })),
  )

  useEffect(() => {
    let isHere = true
    let takeAway = () => undefined as void
    const show = async () => {
      const script = await loadVendor(vendors[provider], i18n.language)
      if (!isHere || !place.current) return
      // A place of its own: not all of them can be rendered twice into the same.
      const box = place.current.appendChild(document.createElement('div'))
      const widget = script.render(box, {
        sitekey: siteKey,
        theme,
        size: place.current.clientWidth < NORMAL_WIDTH ? 'compact' : 'normal',
        language: i18n.language,
        callback: solved,
        'expired-callback': expired,
        'error-callback': failed,
      })
      takeAway = () => {
        script.remove?.(widget)
        box.remove()
      }
    }
    show().catch(() => isHere && failed())
    return () => {
      isHere = false
      takeAway()
    }
  }, [provider, siteKey, theme, i18n.language])

  return (
    <>
      <Text role="status" size="sm" c="dimmed">
        {t('vendor')}
      </Text>
      <div ref={place} />
    </>
  )
}
