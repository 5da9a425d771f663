import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'

const run = promisify(execFile)
const packages = ['@sluice/core', '@sluice/operations', '@sluice/queue', '@sluice/telemetry']
const names = '{ redisStore, operations, readOperations, redisSink, streamQueue }'

/** Of each call the code and the message of its error. */
const program = `
const redis = 'redis://:secret@127.0.0.1:6390'
const calls = {
  store: () => redisStore(redis),
  options: () => redisStore({ url: redis }),
  cluster: () => redisStore({ cluster: ['127.0.0.1:6390'] }),
  sentinels: () => redisStore({ sentinels: ['127.0.0.1:6390'], master: 'm' }),
  operations: () => operations({ redis }),
  reader: () => readOperations({ redis }),
  sink: () => redisSink({ redis }),
  queue: () => streamQueue({ name: 'jobs', limit: 5, redis }),
}
const said = {}
for (const [name, call] of Object.entries(calls)) {
  try {
    call()
    said[name] = 'made'
  } catch (error) {
    said[name] = error.code + ' ' + error.message
  }
}
console.log(JSON.stringify(said))
process.exit()
`
const forms = {
  'import.mjs': packages.map((name, i) => `import * as p${i} from '${name}'`).join('\n'),
  'require.cjs': packages.map((name, i) => `const p${i} = require('${name}')`).join('\n'),
}

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(await installed(...packages), 'no-client-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(Object.entries(forms))(
  'a URL where ioredis is not installed is an error at once, by %s',
  async (file, head) => {
    writeFileSync(
      path.join(folder, file),
      `${head}\nconst ${names} = { ...p0, ...p1, ...p2, ...p3 }\n${program}`,
    )
    const { stdout } = await run(process.execPath, [path.join(folder, file)])
    const message =
      'redis: expected the package ioredis, which connects to a URL: npm install ioredis, got no such package'
    const said = JSON.parse(stdout) as Record<string, string>
    expect(said).toEqual(
      Object.fromEntries(Object.keys(said).map((call) => [call, `SLUICE_OPTION ${message}`])),
    )
  },
)

it('a program can be built where ioredis is not installed: Turbopack wants the import in a try block', () => {
  const dist = path.join(path.dirname(folder), 'node_modules/@sluice/core/dist')
  const before = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) =>
      readFileSync(path.join(dist, name), 'utf8')
        .split(/import\(.ioredis.\)/)
        .slice(0, -1),
    )
  expect(before.map((text) => text.slice(-40))).toEqual([
    expect.stringMatching(/\btry ?\{\s*let \w+ ?= ?await $/),
    expect.stringMatching(/\btry ?\{\s*let \w+ ?= ?await $/),
  ])
})
