import type { BrowserContextOptions } from 'playwright-core'

export const desk = { viewport: { width: 1440, height: 900 } } as const satisfies BrowserContextOptions

export const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
} as const satisfies BrowserContextOptions

export const narrowPhone = {
  ...phone,
  viewport: { width: 320, height: 640 },
} as const satisfies BrowserContextOptions

/** What a page must be readable and usable on. */
export const screens = {
  'a desk': desk,
  'a desk in the dark': { ...desk, colorScheme: 'dark' },
  'a phone': phone,
  'a phone in the dark': { ...phone, colorScheme: 'dark' },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>
