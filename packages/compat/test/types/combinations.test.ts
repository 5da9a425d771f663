import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import ts from 'typescript-oldest'

// Each folder is a program of its own, as what one file declares of all requests holds in all files.
const programs = path.join(import.meta.dirname, 'programs')
const root = path.join(import.meta.dirname, '../../../..')
const filesOf = (program: string) =>
  readdirSync(path.join(programs, program)).map((name) => path.join(programs, program, name))

const options = {
  module: 'nodenext',
  target: 'es2022',
  lib: 'es2023',
  types: 'node',
  customConditions: 'sluice-source',
}
const flags = ['strict', 'exactOptionalPropertyTypes', 'noEmit', 'allowImportingTsExtensions']

/** What the compiler says, also of the declarations of frameworks. */
async function newest(files: readonly string[]): Promise<string> {
  const tsc = path.join(root, 'node_modules/typescript/lib/tsc.js')
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const args = [tsc, '--ignoreConfig', ...given, ...flags.map((name) => `--${name}`), ...files]
  const run = promisify(execFile)(process.execPath, args, { cwd: root })
  return run.then(
    () => '',
    ({ stdout }) => stdout,
  )
}

const declaring =
  /\/(express|fastify|koa|compat)\/src\/|\/@types\/(express|koa)|\/fastify\/|rate-limit|flexible/
const { options: oldestOptions } = ts.convertCompilerOptionsFromJson(
  {
    ...options,
    lib: [options.lib],
    types: [options.types],
    customConditions: [options.customConditions],
    ...Object.fromEntries(flags.map((name) => [name, true])),
  },
  root,
)
const host = ts.createCompilerHost(oldestOptions)
const parsed = new Map<string, ts.SourceFile | undefined>()
const { getSourceFile } = host
host.getSourceFile = (name, ...more) => {
  if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...more))
  return parsed.get(name)
}

/** The sources of core are written for a newer compiler: only what declares, and what uses that, is looked at. */
function oldest(files: readonly string[]): string {
  const program = ts.createProgram(files, oldestOptions, host)
  const seen = program
    .getSourceFiles()
    .filter(({ fileName }) => files.includes(fileName) || declaring.test(fileName))
    .flatMap((file) => program.getSemanticDiagnostics(file))
  return ts.formatDiagnostics(seen, host)
}

const cases = [
  ['alone', 'the adapters alone say what a request carries'],
  ['face', 'the adapters beside the interfaces of other libraries'],
  ['declared', 'beside what an application has declared of its requests, and beside @fastify/rate-limit'],
  ['original', 'beside express-rate-limit, and beside @fastify/rate-limit with the interface of it'],
  ['types', 'what is written for another library is taken here, and the other way round'],
  ['moving', 'the interface of @fastify/rate-limit beside itself'],
] as const

it('every program is compiled', () => {
  expect(readdirSync(programs).sort()).toEqual(cases.map(([program]) => program).sort())
})

it.each(cases)('%s: %s, by the newest compiler', async (program, _title) => {
  expect(await newest(filesOf(program))).toBe('')
})

it.each(cases)('%s: %s, by TypeScript 5.4', (program, _title) => {
  expect(oldest(filesOf(program))).toBe('')
})
