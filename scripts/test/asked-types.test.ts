import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const place = mkdtempSync(path.join(tmpdir(), 'asked-'))
afterAll(() => rmSync(place, { recursive: true }))

function write(file: string, text: string): string {
  const full = path.join(place, file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, text)
  return full
}

interface Package {
  readonly folder: string
  readonly manifest: { readonly name: string; readonly dependencies?: { readonly [name: string]: string } }
}

/** A package that uses these others, with a file of types. */
function pack(name: string, uses: readonly string[], types: string): Package {
  write(`${name}/dist/cjs/index.d.ts`, types)
  const dependencies = Object.fromEntries(uses.map((used) => [used, 'workspace:^']))
  return { folder: path.join(place, name), manifest: { name, dependencies } }
}

const packages = [
  pack('@our/low', [], 'import { Never } from "@our/low/internal"'),
  pack(
    '@our/middle',
    ['@our/low'],
    'import { Plain, matter } from "@our/low/internal"\ntype A = matter.Inner',
  ),
  pack('@our/high', ['@our/low', '@our/middle'], 'import { Other } from "@our/low"'),
]

async function said(call: string): Promise<unknown> {
  const program = `
    import * as all from ${JSON.stringify(path.join(scripts, 'asked-types.mjs'))}
    const packages = JSON.parse(process.argv[1])
    process.stdout.write(JSON.stringify(${call}))`
  const flags = ['--input-type=module', '--eval', program, '--', JSON.stringify(packages)]
  return JSON.parse((await ended(process.execPath, flags, { cwd: place })).stdout)
}

it('each package comes behind those that use it', async () => {
  const names = await said('all.usersFirst(packages).map(({ manifest }) => manifest.name)')
  expect(names).toEqual(['@our/high', '@our/middle', '@our/low'])
})

it('only types that import from an internal entry ask for its names, and only those of packages that use it', async () => {
  const words = await said("[...all.wordsAskedOf('@our/low', packages)]")
  expect(words).toEqual(expect.arrayContaining(['Plain', 'matter', 'Inner']))
  expect(words).not.toEqual(expect.arrayContaining(['Other']))
  expect(words).not.toEqual(expect.arrayContaining(['Never']))
})

const entry = `export { type Plain, unasked } from '../plain.ts'
export { nobody } from '../nobody.ts'
export type { Inner, Outer } from '../types.ts'
/** A matter. */
export * as matter from './matter.ts'
export * as others from './others.ts'
`
const file = write('src/internal/index.ts', entry)

it('an internal entry exports the types that are asked for, and no others', async () => {
  const words = "new Set(['Plain', 'matter', 'Inner'])"
  expect(await said(`all.onlyAsked(${words}).load.handler(${JSON.stringify(file)})`)).toBe(
    `export { type Plain} from '../plain.ts'
export type { Inner} from '../types.ts'
/** A matter. */
export * as matter from './matter.ts'
`,
  )
})

it('an entry of which nothing is asked keeps all', async () => {
  expect(await said(`all.onlyAsked(new Set()).load.handler(${JSON.stringify(file)})`)).toBeNull()
})
