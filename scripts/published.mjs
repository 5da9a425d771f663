import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pnpm, root } from './setup.mjs'

/** The packages that go to the registry, core first: their folder and their package.json. */
export function published() {
  const folders = readdirSync(path.join(root, 'packages')).map((name) => path.join(root, 'packages', name))
  return (
    folders
      .filter((folder) => existsSync(path.join(folder, 'package.json')))
      .map((folder) => ({
        folder,
        manifest: JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')),
      }))
      .filter(({ manifest }) => !manifest.private)
      // Some entries are for the tests of this repository alone, and some only say where a package has moved.
      .map(({ folder, manifest }) => ({ folder, manifest: { ...manifest, ...entriesOf(manifest) } }))
  )
}

/** The command that packs all of them into a folder. Only pnpm applies publishConfig and replaces "workspace:". */
export function packing(folder) {
  const filters = published().flatMap(({ manifest }) => ['--filter', manifest.name])
  const hooks = '--config.pnpmfile=scripts/pnpmfile.cjs'
  return pnpm([hooks, ...filters, 'pack', '--pack-destination', folder])
}

function entriesOf({ publishConfig: { exports } }) {
  const all = Object.entries(exports ?? {})
  const isMoved = ([, target]) => typeof target === 'string' || target.default !== undefined
  const moved = all.filter(isMoved).map(([entry]) => entry)
  return { exports: exports && Object.fromEntries(all.filter((entry) => !isMoved(entry))), moved }
}
