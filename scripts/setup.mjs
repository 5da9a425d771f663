// Installs what package.json and the lock file ask for, unless that has been done. It runs before anything
// is installed, so it imports nothing but Node's own modules.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.dirname(import.meta.dirname)
const stampFile = path.join(root, 'node_modules', '.sluice-setup')

/** How to run the pnpm that package.json names: through npx, since fresh machines have none. */
export function pnpm(args) {
  const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  return { command: 'npx', args: ['--yes', packageManager, ...args] }
}

/** Throws a sentence for the user when it cannot install. */
export function installPackages() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Sluice needs Node 20.19 or later, this is ${process.version}.`)
  }
  const wanted = fingerprint()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return linkCommand()
  console.error('Installing packages with pnpm (the first time takes about half a minute) …')
  const { command, args } = pnpm(['install', '--frozen-lockfile', '--prefer-offline'])
  const { status } = spawnSync(command, args, {
    cwd: root,
    // CI: pnpm would ask before it replaces a node_modules that npm has made.
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 2, 2],
    // On Windows npx is a command file, which only a shell can start.
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('The packages could not be installed; what pnpm said stands above.')
  writeFileSync(stampFile, wanted)
  linkCommand()
}

/** Makes `npx sluice` work in the checkout without a build: it runs the sources. */
function linkCommand() {
  const link = path.join(root, 'node_modules', '.bin', 'sluice')
  if (!existsSync(link) && process.platform !== 'win32') symlinkSync('../../scripts/sluice.mjs', link)
}

// Asking pnpm whether everything is up to date takes seconds, hashing what it would read milliseconds.
function fingerprint() {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`)
  const manifests = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(folder, name, 'package.json')),
  )
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    const full = path.join(root, file)
    if (existsSync(full)) hash.update(`\0${file}\0`).update(readFileSync(full))
  }
  return hash.digest('hex')
}
