import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Ended, ended, scripts } from './small-project.ts'

/** Stands for npx and pnpm: it writes down its flags, and in node_modules what pnpm notes there of an install. */
const npx = `#!/usr/bin/env bash
echo "$*" >> asked
if [ -e fails ]; then exit 1; fi
dev=true
if [[ $* == *--prod* ]]; then dev=false; fi
mkdir -p node_modules/.bin
echo "{ \\"included\\": { \\"dependencies\\": true, \\"devDependencies\\": $dev } }" > node_modules/.modules.yaml
`
const zoo =
  '--yes pnpm@1 install --frozen-lockfile --prefer-offline --prod --filter sluice --filter-prod @sluice/example-zoo...'
const everything = '--yes pnpm@1 install --frozen-lockfile --prefer-offline'

/** A checkout with nothing but its set-up. */
let folder: string
const file = (name: string) => path.join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'setup-'))
  for (const name of ['packages', 'examples', 'scripts', 'bin']) mkdirSync(file(name))
  cpSync(path.join(scripts, 'setup.mjs'), file('scripts/setup.mjs'))
  writeFileSync(file('package.json'), '{ "packageManager": "pnpm@1" }')
  writeFileSync(file('pnpm-lock.yaml'), 'one')
  writeFileSync(file('bin/npx'), npx)
  chmodSync(file('bin/npx'), 0o755)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const forStart = 'installForZoo'
const forTest = 'installPackages'

/** As `npm start` and `npm test` call it. */
function install(what: typeof forStart | typeof forTest): Promise<Ended> {
  const program = `import { ${what} } from './scripts/setup.mjs'; ${what}()`
  const env = { PATH: `${file('bin')}:${process.env.PATH}` }
  return ended(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder, env })
}

/** What pnpm was asked for since the last look. */
function asked(): string[] {
  const lines = existsSync(file('asked')) ? readFileSync(file('asked'), 'utf8').trimEnd().split('\n') : []
  rmSync(file('asked'), { force: true })
  return lines
}

async function asks(...whats: (typeof forStart | typeof forTest)[]): Promise<string[]> {
  for (const what of whats) await install(what)
  return asked()
}

describe('the set-up', () => {
  // biome-ignore format: a table
  it.each([
    ['npm start installs what the zoo needs, once',        [forStart, forStart],          [zoo]],
    ['npm test installs everything, once',                 [forTest, forTest],            [everything]],
    ['npm test after npm start installs the rest',         [forStart, forTest, forStart], [zoo, everything]],
    ['npm start after npm test takes nothing away again',  [forTest, forStart],           [everything]],
  ] as const)('%s', async (_, commands, flags) => {
    expect(await asks(...commands)).toEqual(flags)
  })

  it.each([
    ['npm start', forStart, zoo],
    ['npm test', forTest, everything],
  ] as const)('%s installs again where the lock file has changed since', async (_, command, flags) => {
    await asks(command)
    appendFileSync(file('pnpm-lock.yaml'), 'two')
    expect(await asks(command, forStart)).toEqual([flags])
  })

  it('npm start leaves everything there where `pnpm install` was run by hand since', async () => {
    await asks(forStart)
    await ended(file('bin/npx'), ['pnpm', 'install'], { cwd: folder })
    appendFileSync(file('pnpm-lock.yaml'), 'two')
    expect(await asks(forStart, forTest)).toEqual(['pnpm install', everything])
  })

  it('an install that fails says so, and is done again', async () => {
    await asks(forStart)
    writeFileSync(file('fails'), '')
    expect((await install(forTest)).stderr).toContain('The packages could not be installed')
    rmSync(file('fails'))
    expect(await asks(forStart)).toEqual([everything, zoo])
  })
})
