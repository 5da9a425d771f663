import type { Standing } from '../src/booth.ts'
import { type Program, runZoo } from './program.ts'

export const frameworks = ['express', 'fastify', 'koa'] as const

/** A zoo that a test has started, on a free port. */
export interface RunningZoo {
  readonly program: Program
  readonly url: string
}

export async function startZoo(...flags: string[]): Promise<RunningZoo> {
  const program = await runZoo(['--port', '0', ...flags])
  const url = await program.prints(/http:\/\/\S+/)
  // The last of what it prints first.
  await program.prints(/curl/)
  return { program, url }
}

/** Buys; the status and what came with it. */
export async function buy({ url }: RunningZoo, attraction: string, order: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify(order)
  return fetch(`${url}/attractions/${attraction}/tickets`, { method: 'POST', headers, body })
}

/** A body, as the test expects it to be made. */
export async function bodyOf<T = { readonly [name: string]: unknown }>(answer: Response): Promise<T> {
  return (await answer.json()) as T // what follows compares it
}

export interface Listing {
  readonly server: { readonly framework: string; readonly store: string }
  readonly attractions: readonly Standing[]
}

/** How one attraction stands, and who counts. */
export async function look(
  { url }: RunningZoo,
  attraction: string,
  visitor = 'ann',
): Promise<Partial<Standing & Listing['server']>> {
  const answer = await fetch(`${url}/attractions?visitor=${visitor}`)
  const { server, attractions } = await bodyOf<Listing>(answer)
  return { ...server, ...attractions.find(({ id }) => id === attraction) }
}
