import { isLimitsError, type LimitsProblem } from './problem.ts'
import type { Tree } from './tree.ts'
import type { TreeLimiter } from './tree-limiter.ts'

export type ReloadEvent =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly LimitsProblem[] }

export type Reader = () => Promise<Tree>

/** One reload at a time: a change during a reload causes another one. */
export function reloader(
  limiter: Pick<TreeLimiter, 'use'>,
  read: Reader,
  report: (event: ReloadEvent) => void,
): () => void {
  let last = Promise.resolve()
  async function reload(): Promise<void> {
    try {
      limiter.use(await read())
    } catch (error) {
      if (!isLimitsError(error)) throw error
      return report({ ok: false, problems: error.problems })
    }
    report({ ok: true })
  }
  return () => {
    last = last.then(reload)
  }
}
