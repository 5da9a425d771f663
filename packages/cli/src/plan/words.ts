const digits = (most: number) => new Intl.NumberFormat('en', { maximumFractionDigits: most })
const figure = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** `12,345`; below ten with two digits behind the point, below a hundred with one. */
export function number(value: number): string {
  return digits(value < 10 ? 2 : value < 100 ? 1 : 0).format(value)
}

/** `50.35 GB`, of 10⁹ bytes. */
export function bytes(value: number): string {
  let place = 0
  for (let rest = value; rest >= 1000 && place < units.length - 1; rest /= 1000) place++
  return `${figure.format(value / 1000 ** place)} ${units[place]}`
}

/** `173,611/s` */
export const perSecond = (value: number): string => `${number(value)}/s`

/** `10 %` */
export const share = (value: number): string => `${number(value * 100)} %`

/** `1 shard`, `2 shards` */
export const counted = (value: number, thing: string): string =>
  `${number(value)} ${thing}${value === 1 ? '' : 's'}`
