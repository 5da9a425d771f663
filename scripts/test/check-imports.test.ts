import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'imports-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: '@zoo/gate',
    dependencies: { '@zoo/core': '1' },
    peerDependencies: { koa: '3' },
  }),
  // All of this may be there.
  'dist/fine.js':
    'import { a } from "@zoo/core/http"; import koa from "koa"; import "node:fs"; import("./own.cjs"); import "@zoo/gate"',
  'dist/own.cjs': 'require("koa"); require("./fine.js")',
  'dist/own.d.cts': "/** import { x } from 'express' */ export * from './types.js'",
  'dist/types.d.ts': "export type { Own } from './own.cjs'",
  'node_modules/other/index.js': 'import "missing"',
  'dist/text.js': 'const page = "import \'./dom.js\'"; export { page }',
  // This may not.
  'dist/late.js': 'export const late = () => import("express")',
  'dist/helped.js':
    'import _tagged from "@compiler/runtime/helpers/tagged";\nimport {\n\ta\n} from "./gone.js"',
  'dist/types.d.cts': 'export type Client = import("ioredis").Redis',
  // Each in a file of its own: one that may be wrong has all of its file looked at.
  'dist/commented.cjs': `require(/* "koa" */ 'commented')`,
  'dist/optional.cjs': `require?.(\n  // "koa" "koa"\n  "optional")`,
  'dist/apart.cjs': `const a = (require)\n\n('apart')`,
  'dist/bare.js': 'import"bare"',
  'dist/passed.js': 'export*from"passed"',
  'dist/escaped.js': "import('k\\x6fa'); import('esc\\x61ped')",
  'dist/typed.d.ts': "import type { A, B } from 'koa'\nexport * from\n  'typed'",
}

it('names what a built file imports and its package neither has nor asks for', async () => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const program = `import { wrongImports } from './check-imports.mjs'
    console.log(wrongImports(process.argv[1]).sort().join('\\n'))`
  const args = ['--input-type=module', '--eval', program, folder]
  const { stdout } = await ended(process.execPath, args, { cwd: scripts })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'dist/apart.cjs imports apart, which @zoo/gate neither has nor asks for',
    'dist/bare.js imports bare, which @zoo/gate neither has nor asks for',
    'dist/commented.cjs imports commented, which @zoo/gate neither has nor asks for',
    'dist/escaped.js imports escaped, which @zoo/gate neither has nor asks for',
    'dist/helped.js imports ./gone.js, which @zoo/gate neither has nor asks for',
    'dist/helped.js imports @compiler/runtime/helpers/tagged, which @zoo/gate neither has nor asks for',
    'dist/late.js imports express, which @zoo/gate neither has nor asks for',
    'dist/optional.cjs imports optional, which @zoo/gate neither has nor asks for',
    'dist/passed.js imports passed, which @zoo/gate neither has nor asks for',
    'dist/typed.d.ts imports typed, which @zoo/gate neither has nor asks for',
    'dist/types.d.cts imports ioredis, which @zoo/gate neither has nor asks for',
  ])
})
