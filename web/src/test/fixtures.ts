import type {
  Access,
  BillItem,
  CheckInResult,
  DashboardGetResponse,
  GatewayItem,
  LinkApp,
  LinkTokenResult,
  NodeInfo,
  OrderItem,
  OrderResult,
  PackageItem,
  PlanItem,
  PreOrderResult,
  RechargeRecord,
  RefundRequestItem,
  RenewalItem,
  ServiceItem,
  WalletResult,
} from '@/lib/api/gen/types.gen'

export const GB = 1024 ** 3
export const MB = 1024 ** 2
const DAY_MS = 86_400_000

export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'

export const access = (change: Partial<Access> = {}): Access => ({
  state: 'active',
  quota_bytes: 200 * GB,
  used_bytes: 50 * GB,
  remaining_bytes: 150 * GB,
  today_bytes: GB,
  resets_at: inDays(12),
  expires_at: inDays(98),
  class: 1,
  class_name: '',
  speed_mbps: 300,
  device_limit: 5,
  online_devices: 2,
  renew_service_id: 11,
  ...change,
})

export const dashboard = (change: Partial<Access> = {}) =>
  ({
    user_id: 7,
    user_name: '林晓',
    email: 'lin@example.com',
    created_at: inDays(-90),
    is_ban: change.state === 'banned',
    money_amount: '128.50',
    access: access(change),
    wallet: { balance: '128.50', currency: 'CNY' },
  }) satisfies Partial<DashboardGetResponse>

export const checkIn = (change: Partial<CheckInResult> = {}): CheckInResult => ({
  state: 'open',
  today: '2026-11-23',
  streak: 2,
  bonus_streak: 7,
  min_bytes: 100 * MB,
  max_bytes: 500 * MB,
  next_at: inDays(0.5),
  days: [
    { date: '2026-11-21', bytes: 120 * MB, streak: 1 },
    { date: '2026-11-22', bytes: 300 * MB, streak: 2 },
  ],
  ...change,
})

export const link = (change: Partial<LinkTokenResult> = {}): LinkTokenResult => ({
  token: 'q7Vt0bXn3LkP9sYw2RfGh6JmZc8DaE1u',
  url: 'https://fast.example.com/link2/q7Vt0bXn3LkP9sYw2RfGh6JmZc8DaE1u',
  urls: [],
  updated_at: inDays(-3),
  last_fetch_at: inDays(-1),
  ...change,
})

export const client = (change: Partial<LinkApp> = {}): LinkApp => ({
  id: 'clash-verge',
  name: 'Clash Verge',
  platforms: ['windows', 'macos', 'linux'],
  import_url: 'clash://install-config?url={url}&name={name}',
  download_url: 'https://example.com/clash',
  icon: '',
  formats: ['ClashMeta'],
  guide_slug: 'clash-verge',
  ...change,
})

export const plan = (change: Partial<PlanItem> = {}): PlanItem => ({
  id: 2,
  kind: 'plan',
  name: 'Standard',
  info: 'For the family',
  traffic_bytes: 300 * GB,
  reset: 'anniversary',
  class: 1,
  class_name: '',
  groups: [],
  speed_mbps: 300,
  devices: 5,
  valid_days: null,
  stock: null,
  per_user: null,
  bought: 0,
  renewable: true,
  prices: [
    { shop_id: 20, months: 1, amount: '30.00' },
    { shop_id: 21, months: 12, amount: '288.00' },
  ],
  ...change,
})

export const lightPlan = (change: Partial<PlanItem> = {}) =>
  plan({
    id: 1,
    name: 'Light',
    traffic_bytes: 100 * GB,
    devices: 3,
    prices: [{ shop_id: 10, months: 1, amount: '15.00' }],
    ...change,
  })

export const trafficPackage = (change: Partial<PlanItem> = {}) =>
  plan({
    id: 9,
    kind: 'package',
    name: '50 GB more',
    traffic_bytes: 50 * GB,
    reset: 'never',
    prices: [{ shop_id: 90, months: 0, amount: '12.00' }],
    ...change,
  })

export const quote = (change: Partial<PreOrderResult> = {}): PreOrderResult => ({
  shop_id: 20,
  plan_id: 2,
  kind: 'plan',
  name: 'Standard',
  months: 1,
  currency: 'CNY',
  price: '30.00',
  discount: '0.00',
  credit: '0.00',
  amount: '30.00',
  change: '0.00',
  kept: '0.00',
  ends_at: null,
  balance: '128.50',
  balance_used: '30.00',
  missing: '0.00',
  recharge_amount: '0.00',
  ...change,
})

export const order = (change: Partial<OrderItem> = {}): OrderItem => ({
  id: uuid,
  no: 77,
  kind: 'plan',
  state: 'paid',
  shop_id: 20,
  plan_id: 2,
  name: 'Standard',
  months: 1,
  price: '30.00',
  discount: '0.00',
  credit: '0.00',
  amount: '30.00',
  currency: 'CNY',
  auto_renew: false,
  coupon: '',
  renew_service_id: null,
  change_service_id: null,
  replaces: '',
  traffic_bytes: 300 * GB,
  reset: 'calendar_month',
  ends_at: inDays(30),
  created_at: inDays(0),
  expires_at: null,
  paid_at: inDays(0),
  service_id: 5,
  package_id: null,
  invoice_id: null,
  ...change,
})

export const recharge = (change: Partial<RechargeRecord> = {}): RechargeRecord => ({
  id: uuid,
  no: 31,
  created_at: inDays(0),
  updated_at: inDays(0),
  trade_no: 'ABC',
  money_amount: '50.00',
  currency: 'CNY',
  fee: '0.00',
  pay_amount: '50.00',
  pay_currency: 'CNY',
  refunded: '0.00',
  is_finish: change.state === 'paid',
  state: 'pending',
  gateway: 'alipay',
  gateway_title: 'Alipay',
  pay_method_id: 0,
  pay_page: { kind: 'url', url: 'https://pay.example.com/31' },
  order_no: null,
  expires_at: inDays(0.02),
  paid_at: null,
  invoice_id: null,
  remark: null,
  config_json: {},
  ...change,
})

export const orderResult = (change: Partial<OrderResult> = {}): OrderResult => ({
  order: order(),
  ...change,
})

const gateway = (name: string, title: string): GatewayItem => ({
  name,
  title,
  icon: name,
  fee_percent: '0.00',
  fee_fixed: '0.00',
  minimum: '1.00',
  maximum: '100000.00',
  currency: 'CNY',
  rate: null,
})

export const gateways = [gateway('alipay', 'Alipay'), gateway('wechat', 'WeChat Pay')]

export const wallet = (change: Partial<WalletResult> = {}): WalletResult => ({
  created_at: inDays(-90),
  wallet_balance: '128.50',
  invite_balance: '0.00',
  invite_pending: '0.00',
  held: '0.00',
  available: '128.50',
  currency: 'CNY',
  ...change,
})

export const service = (change: Partial<ServiceItem> = {}): ServiceItem => ({
  id: 11,
  plan_id: 2,
  name: 'Standard',
  state: 'running',
  class: 1,
  groups: [],
  speed_mbps: 300,
  device_limit: 5,
  quota_bytes: 200 * GB,
  used_bytes: 50 * GB,
  remaining_bytes: 150 * GB,
  up_bytes: 0,
  down_bytes: 0,
  used_up_bytes: 0,
  used_down_bytes: 0,
  reset: 'anniversary',
  cycle: 1,
  resets_at: inDays(12),
  started_at: inDays(-18),
  ends_at: inDays(98),
  end_reason: '',
  auto_renew: true,
  ...change,
})

export const renewal = (change: Partial<RenewalItem> = {}): RenewalItem => ({
  service_id: 11,
  name: 'Standard',
  ends_at: inDays(98),
  auto_renew: true,
  renew_at: inDays(97),
  price: '30.00',
  agreed_price: '30.00',
  months: 1,
  missing: '0.00',
  tries: 0,
  problem: '',
  ...change,
})

export const bill = (change: Partial<BillItem> = {}): BillItem => ({
  id: uuid,
  no: 77,
  created_at: inDays(-18),
  service_id: 11,
  shop_id: 20,
  shop_name: 'Standard',
  kind: 'plan',
  months: 1,
  price: '30.00',
  discount: '0.00',
  credit: '0.00',
  money_amount: '30.00',
  currency: 'CNY',
  state: 'paid',
  ends_at: inDays(98),
  auto_renew: false,
  invoice_id: uuid,
  ...change,
})

export const refundRequest = (change: Partial<RefundRequestItem> = {}): RefundRequestItem => ({
  id: 3,
  order_no: 78,
  service_id: 11,
  package_id: null,
  user_id: 7,
  reason: 'too slow',
  state: 'open',
  answer: '',
  created_at: inDays(-2),
  ended_at: null,
  ...change,
})

export const packageItem = (change: Partial<PackageItem> = {}): PackageItem => ({
  id: 5,
  name: '50 GB more',
  kind: 'bought',
  bytes: 50 * GB,
  used_bytes: 10 * GB,
  remaining_bytes: 40 * GB,
  created_at: inDays(-3),
  expires_at: null,
  order_no: null,
  ...change,
})

export const node = (change: Partial<NodeInfo> = {}): NodeInfo => ({
  node_id: 1,
  node_name: 'Hong Kong 01',
  server_address: 'hk1.example.com',
  location: 'HK',
  country_code: 'HK',
  ping: null,
  load: 37,
  status: 'online',
  protocol_support: ['vless', 'tcp', 'reality'],
  bandwidth: '1 Gbps',
  is_premium: true,
  rate: '1.00',
  hour_rates: [],
  tags: [],
  class: 1,
  class_name: '',
  speed_mbps: null,
  online_users: 12,
  ...change,
})
