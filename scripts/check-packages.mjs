// Checks the published packages as their users get them: packed, then installed in an empty folder. Takes half a minute,
// so the inputs of a check that went well are remembered and not checked again.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run, tool } from './child.mjs'
import { writeUser } from './packed-user.mjs'
import { published } from './published.mjs'
import { pnpm, root } from './setup.mjs'

const stampFile = path.join(root, 'node_modules', '.sluice-packages')
const packages = published()
let failed = false

const wanted = fingerprint()
if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) {
  console.log('ok      nothing has changed since the last check')
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'))
  try {
    if (await check('build', process.execPath, ['scripts/build.mjs'])) await checkPacked(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (!failed) writeFileSync(stampFile, wanted)
}
process.exitCode = failed ? 1 : 0

/** Runs one check and prints its line. Answers what it printed, or null when it failed. */
async function check(title, command, args, options) {
  const { code, output } = await run(command, args, { capture: true, timeoutMs: 180_000, ...options })
  console.log(`${code === 0 ? 'ok    ' : 'not ok'}  ${title}`)
  if (code === 0) return output || ' '
  failed = true
  console.log(output.trimEnd())
  return null
}

async function checkPacked(folder) {
  const names = packages.flatMap(({ manifest }) => ['--filter', manifest.name])
  // Only pnpm applies publishConfig and replaces "workspace:".
  const { command, args } = pnpm([...names, 'pack', '--pack-destination', folder])
  if (!(await check('pack', command, args))) return
  const waiting = packages.map(({ manifest }) => manifest)
  const lane = async () => {
    for (let manifest = waiting.shift(); manifest; manifest = waiting.shift())
      await checkPackage(folder, manifest)
  }
  await Promise.all([lane(), lane()])
}

async function checkPackage(folder, manifest) {
  const title = (what) => `${manifest.name}: ${what}`
  const tarball = path.join(folder, tarballOf(manifest))
  await check(title('publint'), tool('publint'), ['run', tarball, '--strict'])
  await check(title('attw'), tool('attw'), [tarball, '--no-definitely-typed', '--no-color', '--no-emoji'])

  const cwd = path.join(folder, manifest.name.split('/')[1])
  mkdirSync(cwd)
  writeUser(
    cwd,
    manifest,
    (name) => `file:../${tarballOf(packages.find((other) => other.manifest.name === name).manifest)}`,
  )
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier']
  if (!(await check(title('install'), 'npm', install, { cwd }))) return
  const imported = await check(title('import'), process.execPath, ['load.mjs'], { cwd })
  const required = await check(title('require'), process.execPath, ['load.cjs'], { cwd })
  if (imported && required && imported !== required) {
    failed = true
    console.log(`not ok  ${title('the same exports in both forms')}\n${imported}${required}`)
  }
  await check(
    title('jest without transforms'),
    tool('jest'),
    ['--rootDir', cwd, '--config', '{"transform":{}}'],
    { cwd },
  )
  await check(title('types, node16'), tool('tsc'), ['-p', 'tsconfig.node16.json'], { cwd })
  await check(title('types, bundler'), tool('tsc'), ['-p', 'tsconfig.bundler.json'], { cwd })
}

function tarballOf({ name, version }) {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/** Of everything that the tarballs are made from, and of what checks them. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  const folders = [...packages.map((one) => one.folder), path.join(root, 'lua'), path.join(root, 'scripts')]
  const files = ['tsconfig.base.json', 'pnpm-lock.yaml', 'LICENSE'].map((name) => path.join(root, name))
  for (const file of [...files, ...folders.flatMap(filesBelow)]) {
    hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesBelow(folder) {
  const unpacked = ['node_modules', 'dist', 'test', 'coverage']
  const names = readdirSync(folder).filter(
    (name) => !unpacked.includes(name) && !name.endsWith('.generated.ts'),
  )
  return names.sort().flatMap((name) => {
    const full = path.join(folder, name)
    return statSync(full).isDirectory() ? filesBelow(full) : [full]
  })
}
