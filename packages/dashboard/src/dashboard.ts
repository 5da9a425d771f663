import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, answerProblem } from './answer.ts'
import { isAsset, serveAsset } from './assets.ts'
import { Board } from './board.ts'
import { Hub } from './hub.ts'
import { Known } from './limited.ts'
import { type DashboardOptions, settle } from './options.ts'
import { Reader } from './reader.ts'
import { routeOf } from './route.ts'
import type { Sources } from './sources.ts'
import { Streams } from './streams.ts'

/** A plain Node handler: `request.url` may begin with the path under which it is mounted. */
export interface Dashboard {
  (request: IncomingMessage, response: ServerResponse): void
  /** Lets all pages go. The recorder and the limiters stay as they are. */
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
  const settled = settle(options)
  const board = new Board()
  const known = new Known(settled.limiters)
  const reader = new Reader({ board, recorder: settled.recorder, unread() {}, readAgain() {} })
  const sources: Sources = {
    board,
    keys: { atLimit: () => 0 },
    refresh() {
      known.refresh()
      for (const { name, policies = {} } of known.all) {
        for (const [policy, rule] of Object.entries(policies)) board.draw(name, policy, rule)
      }
    },
    covers: (seconds) => reader.covers(seconds),
    order: (rows) => known.order(rows),
    outages: () => [],
    edges: () => ({}),
    around: () => [],
    nowMs: () => settled.recorder.nowMs(),
    monotonicMs: () => performance.now(),
  }
  const streams = new Streams(new Hub(sources, reader), settled, randomBytes(8).toString('hex'))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeOf(request, (name) => name === 'stream' || isAsset(name))
    if (route === undefined) return answerProblem(response, 404, 'There is nothing here.')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answerProblem(response, 405, 'This can only be read.', { Allow: 'GET, HEAD' })
    }
    if ('redirect' in route) return answer(response, 308, { Location: route.redirect })
    if (route.name === 'stream') return streams.open(request, response, route.query)
    serveAsset(route.name, request, response)
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    void serve(request, response)
  }
  return Object.assign(handle, {
    async close() {
      streams.close()
    },
  })
}
