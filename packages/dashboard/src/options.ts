import type { IncomingMessage } from 'node:http'
import type { Limiter, Policies } from '@sluice/core'
import { booleanOption, checkNames, optionalFunction, optionError } from '@sluice/core/internal'
import type { Recorder } from '@sluice/telemetry'
import { type Hosts, readHosts } from './hosts.ts'
import type { Limited } from './limited.ts'

/** A limiter, or a tree of limits from `loadLimits`. */
export type ShownLimiter =
  | Pick<Limiter<Policies>, 'name' | 'health' | 'block' | 'unblock' | 'reset' | 'inspect'>
  | ShownTree

interface ShownTree extends Pick<Limiter<Policies>, 'name' | 'health'> {
  inspect(path: readonly string[]): ReturnType<Limiter<Policies>['inspect']>
  block(path: readonly string[], time: Parameters<Limiter<Policies>['block']>[1]): Promise<void>
  unblock(path: readonly string[]): Promise<void>
  reset(path: readonly string[]): Promise<void>
}

export interface DashboardOptions {
  /** The recorder among the `observers` of the limiters. */
  recorder: Recorder
  /**
   * Limiters and trees of limits, in the order in which they are shown, or a function that returns the current ones. A limiter
   * that is left out shows only its units, without its store and without actions. @default none
   */
  limiters?: readonly ShownLimiter[] | (() => readonly ShownLimiter[]) | undefined
  /**
   * Whether the user may inspect, block, unblock and reset keys: called for each page that connects and for each action. An error means no.
   * @default nobody
   *
   * @example mayManage: (request) => sessionOf(request)?.role === 'admin'
   */
  mayManage?: ((request: IncomingMessage) => boolean | Promise<boolean>) | undefined
  /**
   * Whether a viewer sees at most the first half of a key and of its notes, with a short mark that tells them apart; called for each
   * page that connects and for each action. An error means yes. @default true for viewers who may not manage: a viewer who blocks a key
   * must be able to learn whose it is
   *
   * @example maskKeys: (request) => sessionOf(request)?.role !== 'support'
   */
  maskKeys?: boolean | ((request: IncomingMessage) => boolean | Promise<boolean>) | undefined
  /**
   * Makes the marks beside masked keys the same in all processes and after restarts: a text of at least 16 characters. Anyone who knows it
   * can confirm a guess of a key. @default random, for each dashboard
   *
   * @example maskSecret: process.env.SLUICE_MASK_SECRET
   */
  maskSecret?: string | undefined
  /**
   * Host names of the page in addition to `localhost` and other loopback names, without ports, as a proxy forwards them in `Host`.
   * All others are refused, which stops DNS rebinding. @default only loopback names for connections to a loopback address, any name
   * for others
   *
   * @example hosts: ['status.zoo.example']
   */
  hosts?: readonly string[] | undefined
}

/** Options of a dashboard, with their defaults. */
export interface DashboardSettings {
  readonly recorder: Recorder
  limiters(): readonly Limited[]
  mayManage(request: IncomingMessage): Promise<boolean>
  /** Whether this viewer sees keys masked. */
  masksFor(request: IncomingMessage, mayManage: boolean): Promise<boolean>
  readonly maskSecret: string | undefined
  readonly hosts: Hosts | undefined
}

const minSecretLength = 16

const names = ['recorder', 'limiters', 'mayManage', 'maskKeys', 'maskSecret', 'hosts'] as const

export function readSettings(options: DashboardOptions): DashboardSettings {
  checkNames(options, '', names)
  const { recorder, limiters = [], mayManage, maskKeys, maskSecret } = options
  if (typeof recorder?.query !== 'function' || typeof recorder.watch !== 'function') {
    throw optionError('recorder', 'a recorder such as recorder(memorySink())', recorder)
  }
  optionalFunction(mayManage, 'mayManage')
  return {
    recorder,
    limiters: readLimiters(limiters),
    mayManage: async (request) => {
      try {
        return (await mayManage?.(request)) === true
      } catch {
        return false
      }
    },
    masksFor: readMask(maskKeys),
    maskSecret: readSecret(maskSecret),
    hosts: readHosts(options.hosts),
  }
}

function readMask(maskKeys: DashboardOptions['maskKeys']): DashboardSettings['masksFor'] {
  if (typeof maskKeys !== 'function') {
    const always = maskKeys === undefined ? undefined : booleanOption(maskKeys, 'maskKeys')
    return async (_request, mayManage) => always ?? !mayManage
  }
  return async (request) => {
    try {
      return (await maskKeys(request)) !== false
    } catch {
      return true
    }
  }
}

function readSecret(secret: unknown): string | undefined {
  if (secret === undefined || (typeof secret === 'string' && secret.length >= minSecretLength)) return secret
  const said = typeof secret === 'string' ? `one of ${secret.length}` : secret
  throw optionError('maskSecret', `a string of at least ${minSecretLength} characters`, said)
}

function readLimiters(limiters: unknown): () => readonly Limited[] {
  if (typeof limiters === 'function') return () => checkLimiters(limiters())
  const list = checkLimiters(limiters)
  return () => list
}

function checkLimiters(limiters: unknown): readonly Limited[] {
  if (!Array.isArray(limiters)) {
    throw optionError('limiters', 'a list of limiters, or a function that returns one', limiters)
  }
  for (const [i, limiter] of limiters.entries()) {
    if (typeof limiter?.health === 'function' && typeof limiter.inspect === 'function') continue
    throw optionError(`limiters[${i}]`, 'a limiter or a tree of limits', limiter)
  }
  return limiters
}
