// Installs what package.json and the lock file ask for, unless that has been done. It runs before anything
// is installed, so it imports nothing but Node's own modules.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.dirname(import.meta.dirname)
const modules = path.join(root, 'node_modules')
/** A workspace of its own: other runtimes, and what applications are built with. */
const runtimes = path.join(root, 'packages/runtimes/apps')

/** How to run the pnpm that package.json names: through npx, since fresh machines have none. */
export function pnpm(args) {
  const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  return { command: 'npx', args: ['--yes', packageManager, ...args] }
}

/**
 * What the zoo and the command line import when they run: a fifth of everything, for which nobody waits long.
 * Throws a sentence for the user when it cannot install.
 */
export function installForZoo() {
  // pnpm would take away again what only the tests need.
  if (everythingIsThere()) return installPackages()
  const flags = ['--prod', '--filter', 'sluice', '--filter-prod', '@sluice/example-zoo...']
  const enough = [stamp('zoo'), stamp('everything')]
  install({ what: 'what the zoo needs (the first time takes about ten seconds)', flags, enough })
  linkCommand()
}

/** Everything but the runtimes. Throws a sentence for the user when it cannot install. */
export function installPackages() {
  const what = 'the packages (the first time takes about half a minute)'
  install({ what, enough: [stamp('everything')] })
  linkCommand()
}

/** Other runtimes, and what applications are built with: hundreds of packages that only their trials need. */
export function installRuntimes() {
  install({ what: 'other runtimes', folder: runtimes, enough: [stamp('runtimes', runtimes)] })
}

/** Each of the stamps `enough` says that this has been done; the first one says it from now on. */
function install({ what, folder = root, flags = [], enough }) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Sluice needs Node 20.19 or later, this is ${process.version}.`)
  }
  const stampFile = path.join(folder, 'node_modules/.sluice-setup')
  if (existsSync(stampFile) && enough.includes(readFileSync(stampFile, 'utf8'))) return
  console.error(`Installing ${what} with pnpm …`)
  // An install that is interrupted leaves no stamp.
  rmSync(stampFile, { force: true })
  const { command, args } = pnpm(['install', '--frozen-lockfile', '--prefer-offline', ...flags])
  const { status } = spawnSync(command, args, {
    cwd: folder,
    // CI: pnpm would ask before it replaces a node_modules that npm has made.
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 2, 2],
    // On Windows npx is a command file, which only a shell can start.
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('The packages could not be installed; what pnpm said stands above.')
  writeFileSync(stampFile, enough[0])
}

/** Also where somebody has run `pnpm install` by hand. pnpm notes in this file what it has installed. */
function everythingIsThere() {
  const notes = path.join(modules, '.modules.yaml')
  return existsSync(notes) && /"?devDependencies"?: true/.test(readFileSync(notes, 'utf8'))
}

/** Makes `npx sluice` work in the checkout without a build: it runs the sources. */
function linkCommand() {
  const link = path.join(modules, '.bin', 'sluice')
  if (!existsSync(link) && process.platform !== 'win32') symlinkSync('../../scripts/sluice.mjs', link)
}

/** What the stamp file holds after an install of `scope` from these manifests and this lock file. */
function stamp(scope, folder = root) {
  return `${scope} ${fingerprint(folder)}`
}

// Asking pnpm whether everything is up to date takes seconds, hashing what it would read milliseconds.
function fingerprint(folder) {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`)
  const workspaces = folder === root ? ['packages', 'examples'].flatMap(manifestsIn) : []
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...workspaces]) {
    const full = path.join(folder, file)
    if (existsSync(full)) hash.update(`\0${file}\0`).update(readFileSync(full))
  }
  return hash.digest('hex')
}

function manifestsIn(parent) {
  return readdirSync(path.join(root, parent)).map((name) => path.join(parent, name, 'package.json'))
}
