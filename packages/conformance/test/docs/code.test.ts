import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Block, blocksOf, pages, root } from './pages.ts'

const all = pages().flatMap((page) => blocksOf(page))
const blocks = all.filter(({ info }) => info === 'ts' || info === 'ts run')
const programs = blocks.filter(({ info }) => info === 'ts run')
const title = ({ page, line }: Block) => `${page}:${line}`

// Below a package that depends on all that the blocks import.
const home = path.join(root, 'examples/zoo/.docs')
let folder = ''

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(path.join(home, 'blocks-'))
  for (const block of blocks) writeFileSync(fileOf(block), `${preludeOf(block)}${block.code}`)
  for (const block of programs) writeFileSync(programOf(block), await onFreePort(block.code))
  const options = { noEmit: true, composite: false, isolatedDeclarations: false, moduleDetection: 'force' }
  const config = { extends: path.join(root, 'tsconfig.base.json'), include: ['*.ts'], compilerOptions: options }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(block: Block): string {
  return path.join(folder, `${title(block).replace(/\W+/g, '-')}.ts`)
}

function programOf(block: Block): string {
  return fileOf(block).replace(/\.ts$/, '.program.mts')
}

/** A page may begin with `<!-- ts … -->`: it stands before those of its blocks that import nothing themselves. */
function preludeOf({ page: file, info, code }: Block): string {
  if (info === 'ts run' || /^import /m.test(code)) return ''
  const text = pages().find((page) => page.file === file)?.text ?? ''
  return /^<!-- ts\n([\s\S]*?)^-->$/m.exec(text)?.[1] ?? ''
}

/** Readers listen on 3000, where on the machine that tests something else may listen. */
async function onFreePort(code: string): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return code.replace(/\b3000\b/g, String(typeof address === 'object' ? address?.port : address))
}

const run = promisify(execFile)

/** What the compiler says, by page and line. */
async function complaints(): Promise<readonly string[]> {
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['-p', folder], { cwd: folder }).catch((error) => error)
  return String(stdout)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, file, at, message] = /^(.+)\((\d+),\d+\): (.*)$/.exec(line) ?? []
      const block = blocks.find((each) => path.basename(fileOf(each)) === file)
      if (block === undefined) return line
      return `${block.page}:${block.line + Number(at) - preludeOf(block).split('\n').length}: ${message}`
    })
}

/** What a program says it prints: the comments behind console.log(…), then the comment lines at its end. */
function toldOutput({ code }: Block): readonly string[] {
  const lines = code.trimEnd().split('\n')
  const end = lines.findLastIndex((line) => !line.startsWith('// ')) + 1
  const beside = lines.slice(0, end).flatMap((line) => /console\.log\(.*\) \/\/ (.*)$/.exec(line)?.[1] ?? [])
  return [...beside, ...lines.slice(end).map((line) => line.slice('// '.length))]
}

test('every block of TypeScript is marked as one, so that none goes unchecked', () => {
  const known = ['ts', 'ts run', 'text', 'sh', 'lua', 'http', 'json']
  expect(all.filter(({ info }) => !known.includes(info)).map(title)).toEqual([])
  expect(programs).not.toHaveLength(0)
})

test('every block of TypeScript compiles', async () => {
  expect(await complaints()).toEqual([])
}, 60_000)

describe('prints what its comments say:', () => {
  test.each(programs.map((block) => [title(block), block] as const))(
    '%s',
    async (_title, block) => {
      const flags = ['--conditions=sluice-source', '--import', 'tsx', programOf(block)]
      const { stdout, stderr, code } = await run(process.execPath, flags, {
        cwd: folder,
        timeout: 20_000,
        env: { ...process.env, NO_COLOR: '1' },
      }).catch((error) => error)
      const told = toldOutput(block)
      expect(told).not.toHaveLength(0)
      // Where it failed, what it complained of says more than what it did not print.
      expect(code === undefined ? String(stdout).trimEnd().split('\n') : String(stderr)).toEqual(told)
    },
    30_000,
  )
})
