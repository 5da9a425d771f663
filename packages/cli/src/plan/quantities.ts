import { durationUs, optionError } from '@sluice/core/internal'

const decimal = String.raw`\d+(?:\.\d+)?(?:e\d{1,2})?`
const powers = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const
const binary = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 } as const
const sizes: Readonly<Record<string, number>> = { ...powers, ...binary }

export interface Rate {
  readonly amount: number
  readonly seconds: number
}

export interface Price {
  readonly amount: number
  readonly per: 'node-hour' | 'GB-hour'
}

/** Reads `1e9` or `1000000000`: a whole number from `least` to `most`. */
export function readCount(text: string, option: string, least: number, most: number): number {
  const value = new RegExp(`^${decimal}$`).test(text) ? Number(text) : Number.NaN
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw optionError(option, `a whole number from ${least} to ${most.toLocaleString('en')}`, text)
}

/** Reads a number above zero. */
export function readAmount(text: string, option: string, example: string): number {
  const value = new RegExp(`^${decimal}$`).test(text) ? Number(text) : 0
  if (value > 0 && Number.isFinite(value)) return value
  throw optionError(option, `a number above 0, such as ${example}`, text)
}

/** Reads `10%` as 0.1; `fits` says which shares are valid. */
export function readShare(
  text: string,
  option: string,
  fits: (share: number) => boolean,
  words: string,
): number {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? []
  const share = percent === undefined ? Number.NaN : Number(percent) / 100
  if (fits(share)) return share
  throw optionError(option, words, text)
}

/** `50/d`, `3/10s` */
export function readRate(text: string, option: string): Rate {
  const [, amount = '', times = '', unit] = new RegExp(`^(${decimal})/(\\d*)(s|m|h|d)$`).exec(text) ?? []
  const value = Number(amount)
  if (unit !== undefined && value > 0)
    return { amount: value, seconds: durationUs(`${times || '1'}${unit}`, option) / 1e6 }
  throw optionError(option, 'requests per time, such as 50/d, 2/m or 3/10s', text)
}

/** `16GB` is 16,000,000,000 bytes, `16GiB` is 16 · 2³⁰. */
export function readBytes(text: string, option: string): number {
  const [, amount, unit = ''] = new RegExp(`^(${decimal})((?:[kMGT]|[KMGT]i)?)B$`).exec(text) ?? []
  const bytes = Number(amount) * (sizes[unit] ?? Number.NaN)
  if (bytes > 0) return bytes
  throw optionError(option, 'a size such as 16GB or 16GiB', text)
}

/** `10Gbit` a second, in bytes a second. */
export function readNetwork(text: string, option: string): number {
  const [, amount, unit = ''] = new RegExp(`^(${decimal})([kMGT]?)bit$`).exec(text) ?? []
  const bits = Number(amount) * (sizes[unit] ?? Number.NaN)
  if (bits > 0) return bits / 8
  throw optionError(option, 'bits a second such as 10Gbit', text)
}

export function readPrice(text: string, option: string): Price {
  const [, amount, per] = new RegExp(`^(${decimal})/(node-hour|GB-hour)$`).exec(text) ?? []
  if (per === 'node-hour' || per === 'GB-hour') return { amount: Number(amount), per }
  throw optionError(option, 'a price such as 0.5/node-hour or 0.02/GB-hour', text)
}
