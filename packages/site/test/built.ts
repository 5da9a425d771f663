import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(__dirname, '../../..')

/** The address under which a test's site says its sources are. */
export const repository = 'https://example.com/sluice'

/** The site, built for a test as `npm run site` builds it. */
export interface BuiltSite {
  readonly folder: string
  readonly seconds: number
  /** The address of a page, as a file. */
  url(page: string): string
  remove(): void
}

/** `flags` as those of `npm run site`. */
export function builtSite(...more: readonly string[]): BuiltSite {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-site-'))
  const program = path.join(root, 'packages/site/src/main.ts')
  const flags = ['--conditions=sluice-source', '--import', 'tsx', program]
  const began = performance.now()
  execFileSync(process.execPath, [...flags, '--out', folder, '--repository', repository, ...more], {
    cwd: root,
  })
  return {
    folder,
    seconds: (performance.now() - began) / 1000,
    url: (page) => pathToFileURL(path.join(folder, page)).href,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
