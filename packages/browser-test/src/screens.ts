import type { BrowserContextOptions } from 'playwright-core'

/** What a browser shows a page on. */
interface Screen extends BrowserContextOptions {
  readonly viewport: { readonly width: number; readonly height: number }
}

export const desk: Screen = { viewport: { width: 1440, height: 900 } }

export const phone: Screen = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
}

export const narrowPhone: Screen = {
  ...phone,
  viewport: { width: 320, height: 640 },
}

/** What a page must be readable and usable on. */
export const screens: Readonly<Record<string, Screen>> = {
  'a desk': desk,
  'a desk in the dark': { ...desk, colorScheme: 'dark' },
  'a phone': phone,
  'a phone in the dark': { ...phone, colorScheme: 'dark' },
}
