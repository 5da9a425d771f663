import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Runs something where these packages of an application are not installed. */
export async function without<T>(app: string, names: readonly string[], work: () => Promise<T>): Promise<T> {
  const aside = mkdtempSync(path.join(app, 'aside-'))
  const moves = names.map((name, i) => {
    return { there: path.join(app, 'node_modules', name), away: path.join(aside, String(i)) }
  })
  for (const { there, away } of moves) renameSync(there, away)
  try {
    return await work()
  } finally {
    for (const { there, away } of moves) renameSync(away, there)
    rmSync(aside, { recursive: true })
  }
}
