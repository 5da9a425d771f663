import type { OtherFields } from './facts.ts'

/** The members of Node's response that its fields need, and its request. */
interface NodeResponse {
  readonly req: unknown
  readonly headersSent: boolean
  getHeader(lowerName: string): unknown
  setHeader(lowerName: string, value: string): unknown
  removeHeader(lowerName: string): void
}

/** The members of Node's modules that say which response is being made. */
interface Storage {
  getStore(): NodeResponse | undefined
  enterWith(response: NodeResponse): void
}
interface Builtins {
  readonly versions?: { readonly node?: string }
  getBuiltinModule?(name: 'node:async_hooks'): { readonly AsyncLocalStorage: new () => Storage }
  getBuiltinModule?(name: 'node:diagnostics_channel'): {
    subscribe(channel: string, listener: (message: unknown) => void): void
  }
}

// By a registered symbol: an application is bundled in parts, each with a copy of this module, and anew at each change.
const mark = Symbol.for('sluice.node-responses')
interface Shared {
  [mark]?: Storage | null
  readonly process?: Builtins
}
const shared: Shared = globalThis

/** Begins to note which of Node's responses answers each request of this process; does nothing without Node. */
export function noteResponses(): void {
  if (shared[mark] !== undefined) return
  // In an edge runtime each function of `process` is there, and throws.
  const process = shared.process?.versions?.node === undefined ? undefined : shared.process
  const hooks = process?.getBuiltinModule?.('node:async_hooks')
  const channels = process?.getBuiltinModule?.('node:diagnostics_channel')
  if (hooks === undefined || channels === undefined) {
    shared[mark] = null
    return
  }
  const storage = new hooks.AsyncLocalStorage()
  shared[mark] = storage
  channels.subscribe('http.server.request.start', (message) => {
    storage.enterWith((message as { readonly response: NodeResponse }).response) // as Node documents it
  })
}

/** Node's request that is being answered. Only its connection tells that the client has gone while the response waits behind another. */
export function requestBeingAnswered(): { readonly req: unknown } | undefined {
  const response = shared[mark]?.getStore()
  return response && { req: response.req }
}

/** The fields of the response that is being made; undefined if it is not known, or under way already. */
export function fieldsBeingMade(): OtherFields | undefined {
  const response = shared[mark]?.getStore()
  return response === undefined || response.headersSent ? undefined : new ResponseFields(response)
}

class ResponseFields implements OtherFields {
  readonly #response: NodeResponse

  constructor(response: NodeResponse) {
    this.#response = response
  }

  get(name: string): string | null {
    const value = this.#response.getHeader(name)
    return value === undefined ? null : String(value)
  }

  set(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value)
  }

  delete(name: string): void {
    if (!this.#response.headersSent) this.#response.removeHeader(name)
  }
}
