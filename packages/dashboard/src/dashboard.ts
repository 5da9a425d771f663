import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, answerProblem } from './answer.ts'
import { isAsset, serveAsset } from './assets.ts'
import { hostFault } from './hosts.ts'
import { Hub } from './hub.ts'
import { isAct, KeyActions } from './key-actions.ts'
import { modelOf } from './model.ts'
import { type DashboardOptions, readSettings } from './options.ts'
import { Pacer } from './pacer.ts'
import { routeOf } from './route.ts'
import { Streams } from './streams.ts'

/** A plain Node handler: `request.url` may begin with the mount path. */
export interface Dashboard {
  (request: IncomingMessage, response: ServerResponse): void
  /** Disconnects all pages. The recorder and the limiters stay open. */
  close(): Promise<void>
}

/**
 * A live page of what limiters do, as a plain Node handler to be mounted behind an authentication of your own.
 *
 * @example
 * const seen = recorder(memorySink())
 * const limiter = createLimiter({ policy, observers: [seen] })
 * app.use('/dashboard', onlyStaff, dashboard({ recorder: seen, limiters: [limiter] }))
 * @throws OptionError
 */
export function dashboard(options: DashboardOptions): Dashboard {
  const settings = readSettings(options)
  const parts = modelOf(settings, () => performance.now())
  const unwatch = settings.recorder.watch(parts.watcher)
  const pacer = new Pacer(parts.sources.nowMs, () => hub.step())
  const hub = new Hub({ ...parts, whileWatched: [parts.standIn, pacer] })
  const streams = new Streams(hub, settings, randomBytes(8).toString('hex'))
  const acts = new KeyActions({ ...parts, options: settings })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = hostFault(request, settings.hosts)
    if (fault !== undefined) return answerProblem(response, 403, fault)
    const route = routeOf(request, (name) => name === 'stream' || isAct(name) || isAsset(name))
    if (route === undefined) return answerProblem(response, 404, 'There is nothing here.')
    const act = 'name' in route && isAct(route.name) ? route.name : undefined
    const methods = act === undefined ? ['GET', 'HEAD'] : ['POST']
    if (!methods.includes(request.method ?? '')) {
      return answerProblem(response, 405, 'This cannot be done here.', { Allow: methods.join(', ') })
    }
    if (act !== undefined) return acts.serve(act, request, response)
    if ('redirect' in route) return answer(response, 308, { Location: route.redirect })
    if (route.name === 'stream') return streams.open(request, response, route.query)
    serveAsset(route.name, request, response)
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    serve(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else answerProblem(response, 500, 'This could not be answered.')
    })
  }
  return Object.assign(handle, {
    async close() {
      unwatch()
      streams.close()
    },
  })
}
