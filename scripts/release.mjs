// Publishes all packages at the versions that they have: builds, packs, writes a bill of materials, and sends them to the registry.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { run } from './child.mjs'
import { packing, published } from './published.mjs'
import { root } from './setup.mjs'

const usage = `Usage: npm run release -- [flags]

Builds and packs every package, writes a bill of materials (CycloneDX) beside them, and publishes what the registry does
not have yet, with provenance. Provenance needs a workflow with an identity token: .github/workflows/release.yml runs this.
Before it, npm run release:version takes what .changeset says into versions and changelogs.

  --dry-run   does all of it but the publishing
  --out DIR   where packages and the bill of materials go (default: release)
  --help      this text
`

const { values: flags } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    out: { type: 'string', default: 'release' },
    help: { type: 'boolean' },
  },
})

if (flags.help) console.log(usage)
else await release(path.resolve(root, flags.out), flags['dry-run'])

async function release(out, dry) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  await step('build', process.execPath, ['scripts/build.mjs'])
  const packages = published().map(({ manifest: { name, version } }) => {
    return { name, version, file: `${name.replace('@', '').replace('/', '-')}-${version}.tgz` }
  })
  const pack = packing(out)
  await step('pack', pack.command, pack.args)
  await writeBill(out, packages)
  for (const { name, version, file } of packages) {
    const args = ['publish', path.join(out, file), '--access', 'public', dry ? '--dry-run' : '--provenance']
    if (!dry && (await isPublished(name, version))) console.log(`there    ${name} ${version}`)
    else await step(`publish  ${name} ${version}`, 'npm', args)
  }
  console.log(`\n${packages.length} packages and sbom.cdx.json are in ${path.relative(root, out)}.`)
  if (dry) console.log('Nothing was published: this was a dry run.')
}

/** Everything that an application gets with all of these packages, without what it brings itself. */
async function writeBill(out, packages) {
  const folder = path.join(out, 'installed')
  mkdirSync(folder)
  const dependencies = Object.fromEntries(packages.map(({ name, file }) => [name, `file:../${file}`]))
  const version = packages[0].version
  const manifest = { name: 'sluice', version, license: 'MIT', private: true, dependencies }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, overrides: dependencies }))
  const install = [
    'install',
    '--package-lock-only',
    '--omit=peer',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ]
  await step('resolve', 'npm', install, { cwd: folder })
  const sbom = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev']
  const { output } = await step('sbom', 'npm', sbom, { cwd: folder })
  const bill = JSON.parse(output.slice(output.indexOf('{')))
  writeFileSync(path.join(out, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
  rmSync(folder, { recursive: true })
}

async function isPublished(name, version) {
  const { code } = await run('npm', ['view', `${name}@${version}`, 'version'], { capture: true })
  return code === 0
}

async function step(title, command, args, options) {
  const result = await run(command, args, { capture: true, ...options })
  console.log(`${result.code === 0 ? 'ok      ' : 'not ok  '} ${title}`)
  if (result.code === 0) return result
  console.error(result.output.trimEnd())
  process.exit(1)
}
