import {
  Banknote,
  Bitcoin,
  CreditCard,
  FlaskConical,
  Handshake,
  Landmark,
  type LucideIcon,
  MessageCircle,
  QrCode,
  ScanLine,
  Wallet,
} from 'lucide-react'
import classes from './gateway-icon.module.css'

/** The pictures of the ways to pay, by the names that the server has for them. */
const icons: Record<string, LucideIcon> = {
  alipay: ScanLine,
  bank: Landmark,
  card: CreditCard,
  cash: Banknote,
  crypto: Bitcoin,
  epay: QrCode,
  manual: Handshake,
  sandbox: FlaskConical,
  stripe: CreditCard,
  wallet: Wallet,
  wechatpay: MessageCircle,
}

export function GatewayIcon({ name }: { name: string }) {
  const Icon = icons[name] ?? Wallet
  return (
    <span className={classes.tile} data-icon={name} aria-hidden="true">
      <Icon size={18} strokeWidth={1.75} />
    </span>
  )
}
