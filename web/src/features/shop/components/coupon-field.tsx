import { Button, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { useQuote } from './use-quote'
import classes from './summary.module.css'

/** Takes a coupon and shows at once what is wrong with it. The bill shows the discount. */
export function CouponField(
  props: Pick<
    ReturnType<typeof useQuote>,
    'coupon' | 'couponProblem' | 'isChecking' | 'checkAgain'
  > & {
    onCoupon: (code: string | undefined) => void
  },
) {
  const { t } = useTranslation('shop')
  const [isOpen, setOpen] = useState(props.coupon !== undefined)
  const [typed, setTyped] = useState(props.coupon ?? '')
  const input = useRef<HTMLInputElement>(null)
  if (!isOpen && props.coupon === undefined) {
    return <HaveOne onClick={() => setOpen(true)} />
  }
  const isUsed = props.coupon !== undefined && typed.trim() === props.coupon && !props.couponProblem
  return (
    <form
      className={classes.coupon}
      onSubmit={(event) => {
        event.preventDefault()
        if (isUsed) {
          setTyped('')
          input.current?.focus() // the button, which has nothing to apply now, would lose it
        }
        if (!isUsed && typed.trim() === props.coupon) props.checkAgain()
        else props.onCoupon(isUsed ? undefined : typed.trim() || undefined)
      }}
    >
      <TextInput
        ref={input}
        autoFocus={props.coupon === undefined}
        label={t('coupon.label')}
        size="sm"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={64}
        value={typed}
        error={props.couponProblem}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="sm"
        variant="default"
        loading={props.isChecking}
        disabled={typed.trim() === ''}
      >
        {isUsed && !props.isChecking ? t('coupon.remove') : t('coupon.apply')}
      </Button>
    </form>
  )
}

function HaveOne({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('shop')
  return (
    <Button variant="subtle" size="compact-sm" mt="sm" ml={-8} w="fit-content" onClick={onClick}>
      {t('coupon.have')}
    </Button>
  )
}
