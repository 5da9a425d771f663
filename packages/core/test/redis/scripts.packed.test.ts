import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'

const run = promisify(execFile)

/** What is required once a client is given: an `import` of the same file asks for it by its whole path. */
const program = `
const asked = []
const load = Module._load
Module._load = function (request, ...about) {
  asked.push(request)
  return load.call(this, request, ...about)
}
redisStore(new Redis({ lazyConnect: true }))
console.log(JSON.stringify(asked.filter((request) => request.includes('lua.generated'))))
process.exit()
`
const forms = {
  'import.mjs': `import Module from 'node:module'
import { redisStore } from '@sluice/core'
import { Redis } from 'ioredis'`,
  'require.cjs': `const Module = require('node:module')
const { redisStore } = require('@sluice/core')
const { Redis } = require('ioredis')`,
}

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(await installed('@sluice/core', 'ioredis'), 'scripts-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(Object.entries(forms))(
  'the scripts are required when a client is given, as their import would slow the first checks: %s',
  async (file, head) => {
    writeFileSync(path.join(folder, file), head + program)
    const { stdout } = await run(process.execPath, [path.join(folder, file)])
    expect(JSON.parse(stdout)).toEqual(['../../cjs/shared/lua.generated.js'])
  },
)
