/** What the scripts of all three providers offer once they are loaded with render=explicit. */
export type VendorScript = {
  render(
    place: HTMLElement,
    options: {
      sitekey: string
      theme: 'light' | 'dark'
      size: 'normal' | 'compact'
      language?: string
      callback: (answer: string) => void
      'expired-callback': () => void
      'error-callback': () => void
    },
  ): string | number
  remove?(widget: string | number): void
}

type Vendor = { name: string; global: string; script: (language: string) => string }

// https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
// https://docs.hcaptcha.com/configuration
// https://developers.google.com/recaptcha/docs/display, from the host that is reachable where google.com is not
export const vendors: Record<'turnstile' | 'hcaptcha' | 'recaptcha', Vendor> = {
  turnstile: {
    name: 'Turnstile',
    global: 'turnstile',
    script: () => 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  },
  hcaptcha: {
    name: 'hCaptcha',
    global: 'hcaptcha',
    script: (language) =>
      `https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off&hl=${language}`,
  },
  recaptcha: {
    name: 'reCAPTCHA',
    global: 'grecaptcha',
    script: (language) =>
      `https://www.recaptcha.net/recaptcha/api.js?render=explicit&hl=${language}`,
  },
}

const LOADED = 'captchaLoaded'
const PATIENCE_MS = 15_000

/** Loads a provider's script, once; a failed load may be tried again. */
export function loadVendor(vendor: Vendor, language: string): Promise<VendorScript> {
  const loaded = scriptOf(vendor)
  if (loaded) return Promise.resolve(loaded)
  const script = document.createElement('script')
  script.src = `${vendor.script(language)}&onload=${LOADED}`
  script.nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
  return new Promise<VendorScript>((resolve, reject) => {
    const fail = () => reject(new Error(`${vendor.name} was not loaded`))
    const timer = setTimeout(fail, PATIENCE_MS)
    script.addEventListener('error', fail)
    Reflect.set(globalThis, LOADED, () => {
      clearTimeout(timer)
      const ready = scriptOf(vendor)
      if (ready) resolve(ready)
      else fail()
    })
    document.head.append(script)
  }).catch((failure: unknown) => {
    script.remove()
    throw failure
  })
}

/** The script's object; reCAPTCHA has one before it can render. */
function scriptOf(vendor: Vendor): VendorScript | undefined {
  const object = Reflect.get(globalThis, vendor.global) as Partial<VendorScript> | undefined
  return object?.render ? (object as VendorScript) : undefined
}
