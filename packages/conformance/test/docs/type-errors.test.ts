import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { root } from './pages.ts'

/** What a user forgets, and what the compiler has to say of it. */
const mistakes: readonly (readonly [code: string, message: string])[] = [
  ["express({ name: 'api' })", "Property 'policy' is missing"],
  ["koa({ key: () => 'bob' })", "Property 'policy' is missing"],
  ["export const plugin: RateLimitPluginOptions = { name: 'api' }", "Property 'policy' is missing"],
  ['createLimiter({})', "Property 'policy' is missing"],
  ["createLimiter({ name: 'api' })", "Property 'policy' is missing"],
]

const imports = `import { createLimiter } from '@sluice/core'
import { rateLimit as express } from '@sluice/express'
import type { RateLimitPluginOptions } from '@sluice/fastify'
import { rateLimit as koa } from '@sluice/koa'
`

// Below a package that depends on all of them.
const home = path.join(root, 'examples/zoo/.docs')
let folder = ''
let printed: readonly string[] = []

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(path.join(home, 'type-errors-'))
  const compilerOptions = { declaration: false, isolatedDeclarations: false }
  const config = { extends: path.join(root, 'tsconfig.base.json'), include: ['*.ts'], compilerOptions }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(path.join(folder, 'mistakes.ts'), imports + mistakes.map(([code]) => code).join('\n'))
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder], { cwd: folder }).catch((error) => error)
  printed = String(stdout).split(/\n(?=\S)/)
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(mistakes)('the compiler says of %s what is missing', (code, message) => {
  const line = imports.split('\n').length + mistakes.findIndex(([each]) => each === code)
  expect(printed.filter((each) => each.startsWith(`mistakes.ts(${line},`)).join('\n')).toContain(message)
})
