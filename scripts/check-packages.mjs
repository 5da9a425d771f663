// Checks the published packages as their users get them: packed, then installed in an empty folder. What went well is remembered and
// not checked again. With --oldest only their types, with the oldest TypeScript that the READMEs name.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { wrongEntries } from './check-entries.mjs'
import { wrongImports } from './check-imports.mjs'
import { run, tool } from './child.mjs'
import { fingerprint, packed, tarballOf } from './packed.mjs'
import { writeCombinations } from './packed-combinations.mjs'
import { compiledTogether, placeOf, writeProject, writeUser } from './packed-user.mjs'
import { published } from './published.mjs'
import { root } from './setup.mjs'

const isOldest = process.argv.includes('--oldest')
const stampFile = path.join(root, 'node_modules', `.sluice-packages${isOldest ? '-oldest' : ''}`)
const packages = published()
/** The interfaces of other libraries are functions for `require`, as theirs are, and name their types: `export =` could not do both. */
const meantSo = { '@sluice/compat': ['MissingExportEquals'] }
let failed = false

const wanted = fingerprint()
if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) {
  console.log('ok      nothing has changed since the last check')
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'))
  try {
    await checkPacked(folder, await packed())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (!failed) writeFileSync(stampFile, wanted)
}
process.exitCode = failed ? 1 : 0

/** Runs one check and prints its line, with the output of a failed one. Resolves to whether it passed. */
async function check(title, command, args, { timeoutMs = 180_000, ...options } = {}) {
  const signal = AbortSignal.timeout(timeoutMs)
  const { code, output } = await run(command, args, { capture: true, signal, ...options })
  const late = signal.aborted ? [`It was ended after ${timeoutMs / 1000} s.`] : []
  return report(title, code === 0 ? [] : [output.trimEnd(), ...late])
}

/** Prints a check's line, and what is wrong. Answers whether it passed. */
function report(title, wrong) {
  console.log([`${wrong.length === 0 ? 'ok    ' : 'not ok'}  ${title}`, ...wrong].join('\n'))
  if (wrong.length > 0) failed = true
  return wrong.length === 0
}

async function checkPacked(folder, tarballs) {
  for (const one of packages) writeUser(folder, one, tarballs)
  const manifests = packages.map(({ manifest }) => manifest)
  const entered = manifests.filter((manifest) => manifest.exports)
  if (isOldest) return checkOldest(folder, tarballs, entered)
  await Promise.all([
    checkTogether(folder, tarballs, entered),
    (async () => {
      await check('sizes', process.execPath, ['scripts/check-bundle.mjs'])
      await check('inlining', process.execPath, ['scripts/check-inlining.mjs'])
      for (const manifest of manifests) await checkPackage(folder, tarballs, manifest)
    })(),
  ])
}

/** What one process does for all packages: most of its time would go into starting. */
async function checkTogether(folder, tarballs, entered) {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  const jest = ['--rootDir', folder, '--config', '{"transform":{}}', '--maxWorkers=1']
  await check('jest without transforms', tool('jest'), jest, { cwd: folder })
  const combined = writeCombinations(path.join(folder, 'combined'), tarballs)
  const all = compiledTogether(entered).flatMap((together) =>
    ['node16', 'bundler'].map((kind) => writeProject(folder, together, kind)),
  )
  await check('types', tool('tsc'), ['-b', '--singleThreaded', ...all, ...combined], { cwd: folder })
}

async function checkOldest(folder, tarballs, entered) {
  const combined = writeCombinations(path.join(folder, 'combined'), tarballs)
  // The adapters are part of what is combined.
  const [plain] = compiledTogether(entered.filter(runsOnOldest))
  const old = writeProject(folder, plain, 'oldest')
  await check('types, TypeScript 5.4', process.execPath, ['scripts/oldest-types.mjs', old, ...combined])
}

function runsOnOldest({ name }) {
  const readme = path.join(root, 'packages', name.split('/')[1], 'README.md')
  return readFileSync(readme, 'utf8').includes('TypeScript 5.4')
}

async function checkPackage(folder, tarballs, manifest) {
  const { name } = manifest
  const title = (what) => `${name}: ${what}`
  const tarball = path.join(tarballs, tarballOf(manifest))
  const cwd = placeOf(folder, manifest)
  report(title('publint'), await wrongManifest(tarball))
  const installed = path.join(cwd, 'node_modules', name)
  report(title('imports'), wrongImports(installed))
  report(title('package.json'), waysOut(installed))
  for (const program of Object.keys(manifest.publishConfig.bin ?? {})) {
    await check(title(`${program} --help`), path.join(cwd, 'node_modules', '.bin', program), ['--help'], {
      cwd,
    })
  }
  if (!manifest.exports) return
  report(
    title('entries'),
    await wrongEntries(tarball, { allowed: meantSo[name] ?? [], moved: manifest.moved }),
  )
  await check(title('import and require'), process.execPath, ['load.cjs'], { cwd })
}

/** What publint finds. */
async function wrongManifest(file) {
  const { buffer, byteOffset, byteLength } = readFileSync(file)
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  return messages
    .filter(({ type }) => type === 'error')
    .map((message) => formatMessage(message, pkg, { color: false }))
}

/** What in a package's package.json leads out of it, to files that its users do not have. */
function waysOut(folder) {
  const all = Object.entries(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))
  const out = all.filter(([, value]) => JSON.stringify(value).includes('"../'))
  return out.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
}
