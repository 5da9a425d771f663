import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'

const run = promisify(execFile)

/** Loads the packages where some other code has given all objects a property, and asks a limiter. */
const program = (load: string) => `
Object.prototype.last = () => 1
Array.prototype.sum = () => 1
async function main() {
  const { createLimiter, gcra } = await ${load}('@sluice/core')
  const { networkOf } = await ${load}('@sluice/http')
  const limiter = createLimiter({ policy: gcra({ count: 1, period: '1m' }) })
  console.log(networkOf('192.0.2.1'), limiter.checkNow('bob').allowed, limiter.checkNow('bob').allowed)
}
main()
`

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(await installed('@sluice/core', '@sluice/http'), 'added-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['program.mjs', 'import'],
  ['program.cjs', 'require'],
])('properties that other code has added to all objects do no harm: %s', async (file, load) => {
  writeFileSync(path.join(folder, file), program(load))
  const { stdout } = await run(process.execPath, [path.join(folder, file)])
  expect(stdout.trim()).toBe('192.0.2.1 true false')
})
