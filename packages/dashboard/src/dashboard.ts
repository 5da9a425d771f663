import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, answerProblem } from './answer.ts'
import { isAsset, serveAsset } from './assets.ts'
import { Broadcaster } from './broadcaster.ts'
import { hostFault } from './hosts.ts'
import { isKeyAction, KeyActions } from './key-actions.ts'
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
 * A live page of what limiters do, as a plain Node handler to be mounted behind your own authentication.
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
  const pacer = new Pacer(parts.sources.nowMs, () => broadcaster.step())
  const broadcaster = new Broadcaster({ ...parts, whileWatched: [parts.standIn, pacer] })
  const streams = new Streams(broadcaster, settings, randomBytes(8).toString('hex'))
  const keyActions = new KeyActions({ ...parts, options: settings })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = hostFault(request, settings.hosts)
    if (fault !== undefined) return answerProblem(response, 403, fault)
    const route = routeOf(request, (name) => name === 'stream' || isKeyAction(name) || isAsset(name))
    if (route === undefined) return answerProblem(response, 404, 'There is nothing here.')
    const action = 'name' in route && isKeyAction(route.name) ? route.name : undefined
    const methods = action === undefined ? ['GET', 'HEAD'] : ['POST']
    if (!methods.includes(request.method ?? '')) {
      return answerProblem(response, 405, 'This method is not allowed here.', { Allow: methods.join(', ') })
    }
    if (action !== undefined) return keyActions.serve(action, request, response)
    if ('redirect' in route) return answer(response, 308, { Location: route.redirect })
    if (route.name === 'stream') return streams.open(request, response, route.query)
    serveAsset(route.name, request, response)
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    serve(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else answerProblem(response, 500, 'An internal error occurred.')
    })
  }
  return Object.assign(handle, {
    async close() {
      unwatch()
      streams.close()
      parts.standIn.close()
    },
  })
}
