// Lays packages out as npm installs them: ours are unpacked from their tarballs, others are links to what our own tests use.
// npm takes seconds and the network for each place. That it finds all versions is seen when a release is tried.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { tarballOf } from './packed.mjs'
import { published } from './published.mjs'
import { root } from './setup.mjs'

const ours = new Map(published().map((one) => [one.manifest.name, one]))
const folders = [root, ...[...ours.values()].map(({ folder }) => folder)]

/** A new folder in which the packages `names` are installed, from the tarballs in `tarballs`. */
export function installed(tarballs, names) {
  const place = mkdtempSync(path.join(process.env.SLUICE_TEST_INSTALLED_DIR ?? tmpdir(), 'installed-'))
  layOut(place, tarballs, names)
  return place
}

/**
 * Puts the packages `names` into `place/node_modules`, for our package in the folder `askedBy` if any, and all that they need. What is
 * there stays.
 */
export function layOut(place, tarballs, names, askedBy) {
  const modules = path.join(place, 'node_modules')
  const add = (name, asking) => {
    const target = path.join(modules, name)
    if (existsSync(target)) return
    mkdirSync(path.dirname(target), { recursive: true })
    const own = ours.get(name)
    if (own === undefined) return symlinkSync(whereIs(name, asking), target)
    unpack(path.join(tarballs, tarballOf(own.manifest)), target)
    const manifest = JSON.parse(readFileSync(path.join(target, 'package.json'), 'utf8'))
    linkPrograms(modules, target, manifest)
    for (const needed of neededBy(manifest)) add(needed, own.folder)
  }
  for (const name of names) add(name, askedBy)
}

/** Its dependencies, and the peers that npm installs unasked. */
function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta: about = {} }) {
  const peers = Object.keys(peerDependencies).filter((peer) => about[peer]?.optional !== true)
  return [...Object.keys(dependencies), ...peers]
}

/** What our package in the folder `asking` uses under this name, or else the first of ours that uses it. */
function whereIs(name, asking = root) {
  const found = [asking, ...folders]
    .map((one) => path.join(one, 'node_modules', name))
    .find((one) => existsSync(one))
  if (found === undefined) throw new Error(`None of our packages uses ${name}`)
  return realpathSync(found)
}

function unpack(tarball, target) {
  mkdirSync(target)
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', target])
}

function linkPrograms(modules, target, { bin = {} }) {
  for (const [name, file] of Object.entries(bin)) {
    const program = path.join(target, file)
    const link = path.join(modules, '.bin', name)
    chmodSync(program, 0o755)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.relative(path.dirname(link), program), link)
  }
}
