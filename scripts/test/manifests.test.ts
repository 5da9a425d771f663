import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'

const root = path.resolve(__dirname, '../..')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly homepage?: string
  readonly bugs?: string
  readonly repository?: { readonly url: string; readonly directory?: string }
  readonly license?: string
  readonly engines?: { readonly node?: string }
  readonly files?: readonly string[]
  readonly jest?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
}

const whole = manifestOf('.')
const workspaces = ['packages', 'examples']
  .flatMap((parent) => readdirSync(path.join(root, parent)).map((name) => ({ folder: `${parent}/${name}` })))
  .filter(({ folder }) => existsSync(path.join(root, folder, 'package.json')))
  .map(({ folder }) => ({ folder, manifest: manifestOf(folder) }))
const packages = workspaces.filter(({ manifest }) => manifest.private !== true)

it.each(workspaces)('`npx jest FILE` runs a test in the folder $folder too', ({ manifest }) => {
  expect(manifest.jest).toBe('../../jest.config.mjs')
})

/** All workspaces that one of them depends on, directly or not, when it is tested. */
function neededBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  const manifest = workspaces.find((each) => each.manifest.name === name)?.manifest
  for (const needed of Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })) {
    if (found.has(needed)) continue
    found.add(needed)
    neededBy(needed, found)
  }
  return found
}

it('no workspace depends on one that depends on it', () => {
  const names = workspaces.map(({ manifest }) => manifest.name)
  expect(names.filter((name) => neededBy(name).has(name))).toEqual([])
})

/** Those to which a user gives a Redis, for which core makes the client. */
const overRedis = packages.filter(({ folder }) => {
  const sources = path.join(root, folder, 'src')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  return files.some((file) =>
    /\bredis\??: RedisClient\b/.test(readFileSync(path.join(sources, file), 'utf8')),
  )
})

it("a package that takes a URL of Redis names ioredis as core does: Plug'n'Play lets core find it by that alone", () => {
  const named = ({ name, peerDependencies: peers, peerDependenciesMeta: about }: Manifest) => [
    name,
    peers?.ioredis,
    about?.ioredis?.optional,
  ]
  const [, ...asCore] = named(manifestOf('packages/core'))
  const wanted = [
    '@sluice/cli',
    '@sluice/core',
    '@sluice/operations',
    '@sluice/queue',
    '@sluice/server',
    '@sluice/telemetry',
  ]
  expect(overRedis.map(({ manifest }) => named(manifest))).toEqual(wanted.map((name) => [name, ...asCore]))
})

describe.each(packages)('$manifest.name', ({ folder, manifest }) => {
  const home = String(whole.bugs).replace('/issues', '')

  it('says on the registry what it is, where it lives and on what it runs', () => {
    const { description, license, engines, keywords, homepage, bugs, repository } = manifest
    expect({ license, engines, bugs, repository, homepage }).toEqual({
      license: 'MIT',
      engines: whole.engines,
      bugs: whole.bugs,
      repository: { ...whole.repository, directory: folder },
      homepage: `${home}/tree/main/${folder}#readme`,
    })
    expect(description).toMatch(/^[A-Z].{20,}[^.]$/)
    expect(keywords).toEqual(expect.arrayContaining(['rate-limit', 'rate limiting']))
    expect(new Set(keywords).size).toBe(keywords?.length)
  })

  it('publishes what was built, and no sources', () => {
    expect(manifest.files).toContain('dist')
    expect(manifest.files).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(src|test)\b/)]))
  })

  it('has a README that says how to install it', () => {
    const readme = readFileSync(path.join(root, folder, 'README.md'), 'utf8')
    expect(readme).toMatch(new RegExp(`^# ${manifest.name}\\n`))
    expect(readme).toMatch(new RegExp(`^(npm install|npx).*${manifest.name}`, 'm'))
    expect(readme).toContain(`${home}/`)
  })
})
