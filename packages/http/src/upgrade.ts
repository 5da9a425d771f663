import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Decision, Subject } from '@sluice/core'
import { booleanOption, decisions, isRecord, optionError } from '@sluice/core/internal'
import { asError } from './as-error.ts'
import { clientClosedRequest } from './ending.ts'
import type { Field } from './fields.ts'
import { checkArguments, createGate, withHandle } from './gate.ts'
import { addTo } from './lists-by-key.ts'
import type { Handle, RateLimitOptions } from './options.ts'
import { plainText, refusalAsError } from './refusal.ts'
import { type HeaderPort, stateOf, writeFields } from './request-state.ts'
import type { Refusal } from './request-view.ts'
import { statusText } from './status-text.ts'
import { factsBy, type TrustOptions } from './trust-proxy.ts'

/** There is no framework behind an upgrade: the proxies that may name the client are named here. */
export interface UpgradeOptions extends TrustOptions {
  /** Not here: an upgrade has no response that ends. */
  settle?: undefined
}

interface UpgradeAnswer {
  readonly headers: readonly Field[]
  readonly refusal: Refusal
}

function writeRefusal(socket: Duplex, { headers, refusal: { status, type, body } }: UpgradeAnswer): void {
  const lines = [
    `HTTP/1.1 ${status} ${statusText(status) ?? ''}`,
    'Connection: close',
    `Content-Type: ${type}`,
  ]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  // Once all is sent: a client that does not hang up would hold the socket.
  socket.once('finish', () => socket.destroy())
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

function ignore(): void {}

function close(this: Duplex): void {
  this.destroy()
}

/** What guards have let pass on a socket. */
const passed = new WeakMap<Duplex, Decision[]>()

const nowhere: HeaderPort = { headersSent: false, getHeader: () => undefined, setHeader: ignore }

/**
 * For `server.on('upgrade')`, where no framework runs. false: the refusal was written and the socket ended. Never rejects: where
 * one of the options' functions throws, the answer is 500, with a warning.
 *
 * @example
 * const guard = guardUpgrade({ policy: gcra({ count: 10, period: '1m' }) })
 * server.on('upgrade', async (request, socket, head) => {
 *   if (await guard(request, socket)) sockets.handleUpgrade(request, socket, head, …)
 * })
 */
export function guardUpgrade<Req extends IncomingMessage, N extends string = 'default', S = Subject<N>>(
  options: RateLimitOptions<Req, N, S> & UpgradeOptions,
  ...more: []
): ((request: Req, socket: Duplex) => Promise<boolean>) & Handle<Req, N> {
  checkArguments(options, more)
  if (options?.settle !== undefined)
    throw optionError('settle', 'nothing here, as an upgrade has no response', options.settle)
  if (options?.releaseOnAbort !== undefined) booleanOption(options.releaseOnAbort, 'releaseOnAbort')
  // A socket is in flight until it closes, also where `false` is given. Nothing that is slowed down is in flight.
  const holds = isRecord(options) && options.slowDown === undefined
  const whole = holds ? { ...options, releaseOnAbort: true } : options
  const gate = createGate<Req, N, S>(whole, ['trustProxy'])
  const factsOf = factsBy(options.trustProxy)

  /** What the client gets; null: it may go on. */
  async function refusalFor(request: Req, socket: Duplex): Promise<UpgradeAnswer | null> {
    const facts = factsOf(request)
    const state = stateOf(request)
    state.response ??= socket
    const exchange = { request, facts, state }
    let headers: readonly Field[] = []
    try {
      const outcome = await gate.decide(exchange)
      const { decision, gone } = outcome
      headers = outcome.headers
      // A second guard on this request joins its own to them.
      writeFields(state, headers, nowhere)
      if (gone === true) return { headers, refusal: plainText(clientClosedRequest, '') }
      if (decision === null) return null
      if (decision.allowed) {
        // Who has the socket closes it now. Where nobody does, such as http-proxy before its server has answered, the leases end; or
        // once it has refused a client of whose bytes some are unread, as then nobody hears that it has gone.
        const all = addTo(passed, socket, decision)
        if (all !== undefined)
          for (const half of ['end', 'finish']) socket.once(half, () => all.forEach(decisions.lapseLeases))
        return null
      }
      const refusal = await gate.refuse(exchange, decision)
      if (!gate.refusesByError) return { headers, refusal }
      const { status, message } = refusalAsError(request, decision, refusal)
      return { headers, refusal: plainText(status, message) }
    } catch (thrown) {
      // A listener for upgrades would leave a rejection unhandled, which ends the process.
      gate.limiter.warned?.({
        code: 'SLUICE_UPGRADE_FAILED',
        message: `answered with 500: ${asError(thrown).message}`,
      })
      return { headers, refusal: plainText(500) }
    }
  }

  async function guard(request: Req, socket: Duplex): Promise<boolean> {
    // An upgraded socket has no listener yet: a client that resets it would end the process. Nor does everybody who gets it listen at
    // once: one may look a session up before, and http-proxy waits for its server.
    socket.off('error', ignore).on('error', ignore)
    // Nobody closes it either when its client has ended its half: it would wait for its turn in vain.
    if (socket.readableEnded) socket.destroy()
    socket.on('end', close)
    const answer = await refusalFor(request, socket)
    socket.off('end', close)
    if (answer === null) return true
    writeRefusal(socket, answer)
    return false
  }
  return withHandle(guard, gate, factsOf)
}
