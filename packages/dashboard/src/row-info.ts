import type { Policy } from '@sluice/core'
import { encodeText, pictures } from '@sluice/core/internal'
import type { RowInfo } from './wire.ts'

/** The longest span that can be shown, and the longest window of a row. */
export const hourSeconds = 3600
/** The window of a row with an unknown policy. */
const unknownWindowSeconds = 10

/** A row without the facts about its keys. */
export type Drawn = Omit<RowInfo, 'manyKeys'>

/** A row's id; different policies never share one. */
export function rowId(limiter: string, policy: string): string {
  return `${encodeText(limiter)}:${encodeText(policy)}`
}

/** A limiter's only policy has no name of its own. */
export function shownPolicy(policy: string): string {
  return policy === 'default' ? '' : policy
}

/** `tiger / visitor` */
export function rowName(limiter: string, policy: string): string {
  const shown = shownPolicy(policy)
  return shown === '' ? limiter : `${limiter} / ${shown}`
}

export function drawnOf(limiter: string, policy: string, rule: Policy | undefined): Drawn {
  const names = { id: rowId(limiter, policy), limiter, policy: shownPolicy(policy) }
  if (rule === undefined) return { ...names, ...unknown }
  const { title, rule: words, windowUs, most, shape, windowsUs = [] } = pictures.pictureOf(rule)
  return {
    ...names,
    strategy: title,
    rule: words,
    windowSeconds: wholeSeconds(windowUs),
    limit: most === null ? null : most * windowsIn(windowUs),
    shade: shape,
    windowsSeconds: windowsUs.map((us) => us / 1e6),
  }
}

const unknown = {
  strategy: '',
  rule: '',
  windowSeconds: unknownWindowSeconds,
  limit: null,
  shade: 'none' as pictures.Picture['shape'],
  windowsSeconds: [],
}

/** Units are counted per whole second: whole seconds within the window contain at most what the window may. */
function wholeSeconds(windowUs: number): number {
  return Math.min(hourSeconds, Math.max(1, Math.floor(windowUs / 1e6)))
}

/** The number of windows in one second, if they are shorter than that. */
function windowsIn(windowUs: number): number {
  return Math.max(1, Math.ceil(1e6 / windowUs))
}
