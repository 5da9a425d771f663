import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { bundleInto } from '@sluice/faults/bundle'
import { freePort } from '@sluice/faults/outage'
import { mistakes, mistakesFile, mistakesProgram, saidOf } from './mistakes.ts'
import { type Block, blocksOf, pages, root, statedOutput } from './pages.ts'

const all = pages().flatMap((page) => blocksOf(page))
const blocks = all.filter(({ info, code }) => ['ts', 'ts run', 'ts test'].includes(info) && !isOfNext(code))
const programs = blocks.filter(({ info }) => info === 'ts run')
const title = ({ page, line }: Block) => `${page}:${line}`

/** `npm run test:trials tasks` compiles these: only there is Next.js. */
function isOfNext(code: string): boolean {
  return /from '(next\b|@\/)/.test(code)
}

// Below a package that depends on all that the blocks import.
const home = path.join(root, 'examples/zoo/.docs')
let folder = ''
const printed = new Map<Block, string>()

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(path.join(home, 'blocks-'))
  const options = {
    declaration: false,
    isolatedDeclarations: false,
    moduleDetection: 'force',
    experimentalDecorators: true, // as Nest's users have it
  }
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    files: [...blocks.map((block) => path.basename(fileOf(block))), mistakesFile],
    compilerOptions: options,
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(path.join(folder, mistakesFile), mistakesProgram)
  for (const block of blocks) writeFileSync(fileOf(block), await onFreePort(preludeOf(block) + linked(block)))
  mkdirSync(path.join(folder, 'lib'))
  for (const { code } of blocks) {
    // Other programs of its page import it.
    const [, file] = /^\/\/ (lib\/\S+)\n/.exec(code) ?? []
    if (file !== undefined) writeFileSync(path.join(folder, file), code)
  }
  const names = programs.map((block) => [nameOf(block), fileOf(block)])
  await bundleInto(path.join(folder, 'programs'), Object.fromEntries(names))
  await runInARow(programs)
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function nameOf(block: Block): string {
  return title(block).replace(/\W+/g, '-')
}

function fileOf(block: Block): string {
  return path.join(folder, `${nameOf(block)}.ts`)
}

/** A page may begin with `<!-- ts … -->`: it stands before those of its blocks that import nothing themselves. */
function preludeOf({ page: file, info, code }: Block): string {
  if (info === 'ts run' || /^import /m.test(code)) return ''
  const text = pages().find((page) => page.file === file)?.text ?? ''
  return /^<!-- ts\n([\s\S]*?)^-->$/m.exec(text)?.[1] ?? ''
}

/** Programs of a page import each other by the names in their first lines. */
function linked({ page: file, code }: Block): string {
  return code.replace(/(?<=from '\.\/)[^']+/g, (name) => {
    const other = blocks.find((block) => block.page === file && block.code.startsWith(`// ${name}`))
    return other === undefined ? name : `${nameOf(other)}.ts`
  })
}

/** Readers listen on 3000, where on the machine that tests something else may listen. */
async function onFreePort(code: string): Promise<string> {
  if (!code.includes('3000')) return code
  const port = await freePort()
  return code.replace(/\b3000\b/g, String(port))
}

const steadyTime = path.join(root, 'packages/conformance/test/docs/steady-time.mjs')

/** Runs the programs, and notes what each prints. Those behind one that fails run in another thread. */
async function runInARow(all: readonly Block[]): Promise<void> {
  const waiting = [...all]
  while (waiting.length > 0) {
    const said = await saidInAThread(waiting)
    for (const [i, block] of waiting.splice(0, said.length).entries()) printed.set(block, said[i] ?? '')
  }
}

/** What each of the programs prints, up to one that fails: what that complains of says more. */
async function saidInAThread(some: readonly Block[]): Promise<readonly string[]> {
  const thread = new Worker(path.join(__dirname, 'in-a-row.mjs'), {
    workerData: some.map((block) => path.join(folder, 'programs', `${nameOf(block)}.mjs`)),
    execArgv: ['--import', steadyTime],
    env: { ...process.env, NO_COLOR: '1' },
    stdout: true,
    stderr: true,
  })
  let complaint = ''
  thread.on('error', (error) => {
    complaint += String(error.stack)
  })
  const ending = setTimeout(() => thread.terminate(), 180_000)
  thread.stdout.on('data', () => ending.refresh())
  const ended = new Promise<number>((resolve) => thread.once('exit', resolve))
  const [stdout, stderr] = await Promise.all([textOf(thread.stdout), textOf(thread.stderr)])
  const code = await ended
  clearTimeout(ending)
  const said = stdout.split('\0').slice(1)
  if (code === 0) return said
  const failure = `${stderr.split('\0').at(-1)}${complaint}\nended with ${code}, or after three minutes`
  if (said.length === 0) throw new Error(failure)
  return [...said.slice(0, -1), failure]
}

async function textOf(stream: Readable): Promise<string> {
  let all = ''
  for await (const part of stream.setEncoding('utf8')) all += part
  return all
}

const run = promisify(execFile)

/** What the compiler says of the blocks and of the mistakes; the sources are another check's concern. */
async function complaints(): Promise<readonly string[]> {
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['-p', '.', '--checkers', '1'], { cwd: folder }).catch((error) => error)
  const said = String(stdout)
    .trim()
    .split(/\n(?=\S)/)
  return said.filter((each) => each !== '' && !each.startsWith('..'))
}

const isOfMistakes = (complaint: string): boolean => complaint.startsWith(`${mistakesFile}(`)

/** By page and line. */
function byPage(complaint: string): string {
  const [, file, at, message] = /^(.+)\((\d+),\d+\): ([\s\S]*)$/.exec(complaint) ?? []
  const block = blocks.find((each) => path.basename(fileOf(each)) === file)
  if (block === undefined) return complaint
  return `${block.page}:${block.line + Number(at) - preludeOf(block).split('\n').length}: ${message}`
}

test('every block is of a known kind, so that none of TypeScript goes unchecked', () => {
  const known = [
    'ts',
    'ts run',
    'ts test',
    'text',
    'sh',
    'lua',
    'http',
    'json',
    'yaml',
    'nginx',
    'dockerfile',
  ]
  expect(all.filter(({ info }) => !known.includes(info)).map(title)).toEqual([])
})

describe('the compiler', () => {
  let said: readonly string[]
  // It takes ten seconds of the processor: on a machine that is twenty times busy more than a minute.
  beforeAll(async () => {
    said = await complaints()
  }, 600_000)

  test('has nothing to say of any block of TypeScript', () => {
    expect(said.filter((each) => !isOfMistakes(each)).map(byPage)).toEqual([])
  })

  test.each(mistakes)('says of %s what is missing', (code, message) => {
    expect(saidOf(code, said)).toContain(message)
  })
})

test('a program that had no core for a while sees nothing of it on its clocks, but waits as long as it says', async () => {
  const program = `import { setTimeout } from 'node:timers/promises'
    const clocks = [Date.now, () => performance.now(), () => Number(process.hrtime.bigint()) / 1e6]
    const begun = clocks.map((now) => now())
    const sinceThen = () => clocks.map((now, i) => now() - begun[i])
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    const stood = sinceThen()
    await setTimeout(300)
    console.log(stood.every((ms) => ms < 200), sinceThen().every((ms) => ms >= 299))`
  const args = ['--import', steadyTime, '--input-type=module', '--eval', program]
  expect((await run(process.execPath, args)).stdout).toBe('true true\n')
})

describe('the program prints what its comments say:', () => {
  test.each(programs.map((block) => [title(block), block] as const))('%s', (_title, block) => {
    expect(statedOutput(block)).not.toBe('')
    expect(printed.get(block)?.trimEnd()).toBe(statedOutput(block))
  })
})
