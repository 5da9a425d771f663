import type { Socket } from 'node:net'
import { sha256 } from './hashes.ts'

/**
 * What Node, Bun and Deno offer beyond the web's own means, and what takes its place in browsers and workers. Asked for at run time:
 * a bundle for the web could not resolve an import.
 */

const { process: called } = globalThis as { process?: Partial<NodeJS.Process> }
/**
 * The `process` of a runtime that names the version of Node whose modules it has. Other runtimes may have a `process` too: in an edge
 * runtime each of its functions is there, and throws.
 */
export const nodeProcess: Partial<NodeJS.Process> | undefined =
  called?.versions?.node === undefined ? undefined : called
const builtin = nodeProcess?.getBuiltinModule

/** Loaded where it is first asked for, as it takes Node milliseconds. undefined in browsers and workers. */
export function nodeCrypto(): typeof import('node:crypto') | undefined {
  return builtin?.('node:crypto')
}

/** The global one, only where there is no other, as test runners fake it. The other is loaded on first use, which takes a millisecond. */
const webs = builtin ? undefined : performance

export function ownPerformance(): typeof performance {
  return webs ?? builtin?.('node:perf_hooks')?.performance ?? performance
}

/** The digest of bytes, or of a text's UTF-8, in hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return nodeCrypto()?.createHash('sha256').update(content).digest('hex') ?? sha256(content)
}

/** A text's UTF-16, the lower byte of each unit first, as it lies in memory wherever there is no Buffer. */
export function littleEndian(text: string): Uint8Array {
  const { Buffer: nodes } = globalThis as { Buffer?: typeof Buffer }
  const units = () => Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
  return nodes?.from(text, 'utf16le') ?? new Uint8Array(units().buffer)
}

/** Where a package manager has put this file. A bundle may contain packages that cannot be found from where it lies. */
const asInstalled = /[\\/]node_modules[\\/]@sluice[\\/]core[\\/]/

/**
 * Whether it is certain that `import()` finds no such package here. Searches as `import()` does, which heeds no NODE_PATH; Yarn's
 * Plug'n'Play has no folders to look into.
 */
export function isMissing(name: string): boolean {
  const own = import.meta.filename
  const fs = builtin?.('node:fs')
  const path = builtin?.('node:path')
  if (fs === undefined || path === undefined || nodeProcess?.versions?.pnp !== undefined) return false
  if (own === undefined || !asInstalled.test(own)) return false
  let folder = own
  do {
    folder = path.dirname(folder)
    if (fs.existsSync(path.join(folder, 'node_modules', name))) return false
  } while (folder !== path.dirname(folder))
  return true
}

/** A text of this process's own. */
export interface Marked {
  readonly text: string
}

/** Eight characters that no other process has, made when they are first asked for: a worker has no randomness while it loads. */
export class RandomMark implements Marked {
  #text: string | undefined

  get text(): string {
    this.#text ??= randomText()
    return this.#text
  }
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
}

/** Shows a warning as the process shows its own. */
export function showWarning(message: string, code: string): void {
  if (nodeProcess?.emitWarning === undefined) console.warn(`${code}: ${message}`)
  else nodeProcess.emitWarning(message, { type: 'SluiceWarning', code })
}

/** Calls before the next event, behind all that is under way. */
export function soon(call: () => void): void {
  if (nodeProcess?.nextTick === undefined) queueMicrotask(call)
  else nodeProcess.nextTick(call)
}

export function nextTurn(call: () => void): void {
  if (nodeProcess === undefined || globalThis.setImmediate === undefined) setTimeout(call, 0)
  else globalThis.setImmediate(call)
}

/**
 * A socket of Node's that is closed; undefined where there are none. With `_hadError`, a response that ends on it emits no `finish`: at
 * that event servers before Node 24 throw, if the response has another socket than it began with.
 */
export function closedSocket(): Socket | undefined {
  const net = builtin?.('node:net')
  return net === undefined ? undefined : Object.assign(new net.Socket().destroy(), { _hadError: true })
}

/** Lets a timer not keep the process. */
export function unref<T>(timer: T): T {
  const { unref } = timer as { unref?: () => unknown }
  unref?.call(timer)
  return timer
}

/**
 * Whether each request has timers and promises of its own, as in a worker of Cloudflare: a timer ends with the request in which it
 * was set, and a promise of another request may never have an outcome.
 */
export const requestsApart: boolean =
  (globalThis as { navigator?: { userAgent?: unknown } }).navigator?.userAgent === 'Cloudflare-Workers'

/** The member that `console.log` and `util.inspect` of Node, Bun and Deno ask an object for. */
export const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom') as typeof inspected
