// The packages as the registry would get them. Packing takes ten seconds, so the tarballs are kept until something of what they are made
// from changes.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { run } from './child.mjs'
import { packing, published } from './published.mjs'
import { root } from './setup.mjs'

const kept = path.join(root, 'node_modules', '.sluice-packed')
const packages = published()

/** The folder with a tarball of each package, which is built and packed first where it has changed. */
export async function packed() {
  const folder = path.join(kept, fingerprint())
  if (existsSync(folder)) return folder
  rmSync(kept, { recursive: true, force: true })
  const making = `${folder}-making`
  mkdirSync(making, { recursive: true })
  await must(process.execPath, ['scripts/build.mjs'])
  const { command, args } = packing(making)
  await must(command, args)
  renameSync(making, folder)
  return folder
}

export function tarballOf({ name, version }) {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

async function must(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd, capture: true })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.trimEnd()}`)
}

/** A hash of everything that the tarballs are made from, and of how they are made. */
export function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  const folders = [...packages.map((one) => one.folder), path.join(root, 'lua'), path.join(root, 'scripts')]
  const files = ['pnpm-lock.yaml', 'LICENSE'].map((name) => path.join(root, name))
  for (const file of [...files, ...folders.flatMap(filesBelow)]) {
    hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesBelow(folder) {
  const unpacked = ['node_modules', 'dist', 'test', 'coverage', '.tmp']
  const names = readdirSync(folder).filter(
    (name) => !unpacked.includes(name) && !name.endsWith('.generated.ts'),
  )
  return names.sort().flatMap((name) => {
    const full = path.join(folder, name)
    return statSync(full).isDirectory() ? filesBelow(full) : [full]
  })
}
