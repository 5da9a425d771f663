import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { statedOutput } from '../docs/pages.ts'
import { onFreePort, Reader } from './reader.ts'
import { only } from './steps.ts'

const file = 'docs/moving/express-rate-limit.md'
const blockWith = (text: string) => only(file, ({ info, code }) => info === 'ts run' && code.includes(text))

/** The line that the page takes away, and the one that it puts there. */
const [theirs = '', ours = ''] = only(file, ({ code }) => code.startsWith('- import'))
  .code.split('\n')
  .map((line) => line.slice(2))

/** The declaration that the page has for an application with both. */
const declaration = only(file, ({ code }) => code.startsWith('declare global')).code

const faced = blockWith("standardHeaders: 'draft-8'")
const before = { ...faced, code: faced.code.replace(ours, theirs) }
const shadowed = blockWith('would refuse')
const native = blockWith('const here = rateLimit(')

let reader: Reader
beforeAll(async () => {
  reader = new Reader({ type: 'module' })
  await reader.install('express', 'express-rate-limit', '@types/express', '@types/node')
})
afterAll(() => reader.leave())

/** Compiles a program with strict types, and runs it. */
async function printedBy(program: string): Promise<string> {
  const { code } = await onFreePort(program)
  reader.write('app.ts', code)
  expect(await reader.compile()).toBe('')
  const { output } = await reader.run(['dist/app.js'])
  return output.trimEnd()
}

it('before: the program of express-rate-limit itself prints the same', async () => {
  expect(before.code).toContain(theirs)
  expect(await printedBy(before.code)).toBe(statedOutput(faced))
})

it('step 1, one line: nothing else changes', async () => {
  await reader.install('@sluice/core', '@sluice/compat')
  expect(await printedBy(faced.code)).toBe(statedOutput(faced))
})

it('step 2, Sluice in shadow: in front of the interface, and of express-rate-limit itself', async () => {
  await reader.install('@sluice/express')
  expect(await printedBy(shadowed.code)).toBe(statedOutput(shadowed))
  const own = shadowed.code
    .replace('@sluice/compat/express-rate-limit', 'express-rate-limit')
    .replace(/^const app/m, `import type { RateLimitInfo } from 'express-rate-limit'\n\n${declaration}\n$&`)
    .replace("res.send('hello')", 'res.json(_req.rateLimit?.used)')
  expect(await printedBy(own)).toBe(statedOutput(shadowed))
})

it('step 3, its own limiter: the same limit, option by option', async () => {
  expect(await printedBy(native.code)).toBe(statedOutput(native))
})
