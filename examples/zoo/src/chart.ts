import type { Policy } from '@sluice/core'
import { pictures } from '@sluice/core/internal'

/** What a chart shows, before anything was decided too. */
export interface Chart {
  /** The dashboard's row of the limit for everybody. */
  readonly limiter: string
  readonly policy: string
  /** How the names of the limiter's rows begin that limit visitors at this attraction. */
  readonly gates: string
  /** The most in one window; null if there is no such bound. */
  readonly limit: number | null
  readonly shade: pictures.Picture['shape']
  readonly windowSeconds: number
  /** For several windows: all of them. */
  readonly windowsSeconds: readonly number[]
}

export function chartOf(rows: Pick<Chart, 'limiter' | 'policy' | 'gates'>, policy: Policy): Chart {
  const { most: limit, shape: shade, windowUs, windowsUs = [] } = pictures.pictureOf(policy)
  const windowSeconds = Math.max(1, Math.floor(windowUs / 1e6))
  return { ...rows, limit, shade, windowSeconds, windowsSeconds: windowsUs.map((us) => us / 1e6) }
}
