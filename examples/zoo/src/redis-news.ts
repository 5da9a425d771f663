import type { Observer } from '@sluice/core'

/** Prints when Redis stops answering and when it is back: once, although every attraction's limiter reports it. */
export function redisNews(print: (sentence: string) => void): Observer {
  let away = false
  // limits-news.ts prints what becomes of the file.
  const warned = new Set(['SLUICE_RELOAD_FAILED', 'SLUICE_RELOADED'])
  return {
    storeFailed({ kind, error }) {
      if (kind !== 'opened' || away) return
      away = true
      const why = error === undefined ? '' : ` (${error.message})`
      print(`Redis does not answer${why}: counting locally, in this process, until it does.`)
    },
    storeRecovered({ sinceMs }) {
      if (!away) return
      away = false
      print(`Redis answers again, after ${(sinceMs / 1000).toFixed(1)} s: counting there.`)
    },
    warned({ code, message }) {
      if (warned.has(code)) return
      warned.add(code)
      print(`${code}: ${message}`)
    },
  }
}
