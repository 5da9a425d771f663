import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { countedRow, countedSection, type Section } from './section.ts'

export const installedId = 'installed'

const bench = path.dirname(import.meta.dirname)

/** What an application asks for, and the packages that come with it; what it has anyway is left out. */
const applications: { readonly [row: string]: { readonly asks: readonly string[]; readonly has: RegExp } } = {
  '@sluice/express': { asks: ['@sluice/express'], has: /^express$/ },
  'express-rate-limit': { asks: ['express-rate-limit'], has: /^express$/ },
  'express-rate-limit, rate-limit-redis': {
    asks: ['express-rate-limit', 'rate-limit-redis'],
    has: /^express$/,
  },
  'rate-limiter-flexible': { asks: ['rate-limiter-flexible'], has: /^$/ },
  '@fastify/rate-limit': { asks: ['@fastify/rate-limit'], has: /^fastify$/ },
}

interface Manifest {
  readonly dependencies?: { readonly [name: string]: string }
  /** Of a package of ours, which lies here with its sources. */
  readonly files?: readonly string[]
}

/** Files of a package as npm unpacks them, with those of the packages that it brings. */
export function installed(): Section {
  const rows = Object.entries(applications).map(([name, { asks, has }]) => {
    const folders = new Map<string, number>()
    for (const each of asks) add(folders, { name: each, asking: bench, has })
    const bytes = [...folders.values()].reduce((sum, each) => sum + each, 0)
    return countedRow(name, bytes / 1000)
  })
  return countedSection(
    { id: installedId, title: 'What is installed, without the framework', unit: 'kB' },
    rows,
  )
}

function add(
  folders: Map<string, number>,
  { name, asking, has }: { name: string; asking: string; has: RegExp },
): void {
  if (has.test(name)) return
  const folder = folderOf(name, asking)
  if (folders.has(folder)) return
  const { dependencies = {}, files } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as Manifest // as npm asks for it
  folders.set(folder, isOurs(folder) ? packedBytes(folder, files) : bytesOf(folder))
  for (const dependency of Object.keys(dependencies)) add(folders, { name: dependency, asking: folder, has })
}

function folderOf(name: string, asking: string): string {
  for (let at = asking; ; at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules', name)
    if (existsSync(folder)) return realpathSync(folder)
    if (at === path.dirname(at)) throw new Error(`${name} is not installed for ${asking}.`)
  }
}

function isOurs(folder: string): boolean {
  return path.dirname(folder) === path.dirname(bench)
}

/** What npm packs always, and what the manifest names. */
function packedBytes(folder: string, files: readonly string[] = []): number {
  const packed = ['package.json', 'README.md', ...files].map((file) => path.join(folder, file))
  return packed.reduce((sum, file) => sum + bytesOf(file), 0)
}

function bytesOf(file: string): number {
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.size
  const inside = readdirSync(file).filter((name) => name !== 'node_modules')
  return inside.reduce((sum, name) => sum + bytesOf(path.join(file, name)), 0)
}
