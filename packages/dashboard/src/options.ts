import type { IncomingMessage } from 'node:http'
import type { Limiter } from '@sluice/core'
import { booleanOption, checkNames, optionalFunction, optionError } from '@sluice/core/internal'
import type { Recorder } from '@sluice/telemetry'
import { type Hosts, readHosts } from './hosts.ts'
import type { Limited } from './limited.ts'

/** A limiter, or a tree of limits from `loadLimits`. */
export type ShownLimiter =
  | Pick<Limiter, 'name' | 'health' | 'block' | 'unblock' | 'reset' | 'inspect'>
  | ShownTree

interface ShownTree extends Pick<Limiter, 'name' | 'health'> {
  inspect(path: readonly string[]): ReturnType<Limiter['inspect']>
  block(path: readonly string[], time: Parameters<Limiter['block']>[1]): Promise<void>
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
  /** Show at most the first half of a key, and of its notes. @default true */
  maskKeys?: boolean | undefined
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
  readonly maskKeys: boolean
  readonly hosts: Hosts | undefined
}

const names = ['recorder', 'limiters', 'mayManage', 'maskKeys', 'hosts'] as const

export function readSettings(options: DashboardOptions): DashboardSettings {
  checkNames(options, '', names)
  const { recorder, limiters = [], mayManage, maskKeys = true } = options
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
    maskKeys: booleanOption(maskKeys, 'maskKeys'),
    hosts: readHosts(options.hosts),
  }
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
