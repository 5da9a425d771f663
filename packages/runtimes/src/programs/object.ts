import './few-expectations.ts'
import { type ObjectStorage, transactOn } from '@sluice/state/internal'

/** A Durable Object that tries the transactions on its own storage; it answers what has failed. */
export class Limits {
  readonly #storage: ObjectStorage

  constructor(ctx: { readonly storage: ObjectStorage }) {
    this.#storage = ctx.storage
  }

  async fetch(): Promise<Response> {
    // No worker may make anything random while it loads.
    const { transactCases } = await import('@sluice/conformance/internal')
    const transact = transactOn(this.#storage)
    const failures: string[] = []
    for (const { title, run } of transactCases)
      await run(transact).catch((error: unknown) => failures.push(`${title}: ${String(error)}`))
    return Response.json({ cases: transactCases.length, failures })
  }
}

interface Env {
  readonly LIMITS: { getByName(name: string): { fetch(url: string): Promise<Response> } }
}

const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  fetch: (_, { LIMITS }) => LIMITS.getByName('a').fetch('https://object/'),
}

// biome-ignore lint/style/noDefaultExport: what a worker is
export default worker
