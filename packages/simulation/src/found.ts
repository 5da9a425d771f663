import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plan } from './history/plan.ts'

/** A history that once broke an invariant, shortened, or that was written for a fault that few seeds meet; and what it has found. */
export interface Found {
  readonly found: string
  /**
   * The single fault that the history has found. Left out: the product was right, and the simulation wrong; or the fault was in what a server
   * stores, which is counted by the code as it is shipped.
   */
  readonly fault?: string
  readonly invariant: string
  readonly plan: Plan
}

const folder = path.join(import.meta.dirname, '../found')

/** All histories that are kept, sorted by name. */
export function foundHistories(): readonly (Found & { readonly name: string })[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const found: Found = JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
      return { ...found, name: name.slice(0, -'.json'.length) }
    })
}
