import { troubleOf } from './ioredis-lifecycle.ts'

/** One server of a cluster: what is used of it here. */
interface NamedNode {
  readonly options: { readonly host?: string; readonly port?: number }
  duplicate(options: object): { on(event: 'error', listener: (error: unknown) => void): unknown }
}

/** What a cluster's client is used for here. */
interface NodesClient {
  // biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** A cluster may have hundreds of nodes: more names than this would make a line of a log too long. */
const mostNamed = 5

/**
 * Returns a function that answers what each node of a cluster has said since the client was last connected, or since the last call:
 * call it once all nodes have failed. undefined: none has said anything.
 */
export function nodeTroubles(client: NodesClient): () => string | undefined {
  const said = new Map<string, string>()
  client.on('+node', (node: NamedNode) => {
    const at = `${node.options.host}:${node.options.port}`
    const duplicate = node.duplicate.bind(node)
    // The client asks each node over a separate connection, and reports only that this was closed.
    node.duplicate = (options) => {
      const asker = duplicate(options)
      asker.on('error', (error) => said.set(at, troubleOf(error)))
      return asker
    }
  })
  client.on('node error', (error: unknown, at: string) => {
    if (!said.has(at)) said.set(at, troubleOf(error))
  })
  client.on('ready', () => said.clear())
  return () => {
    const all = Array.from(said, ([at, message]) => `${at}: ${message}`)
    said.clear()
    if (all.length <= mostNamed) return all.join('; ') || undefined
    return `${all.slice(0, mostNamed).join('; ')}; and ${all.length - mostNamed} more`
  }
}
