import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './pages.ts'

/** Why errors of a file, or of a folder, have no code: no user meets them as they are. */
const exceptions: Readonly<Record<string, string>> = {
  'core/src/errors.ts': 'gives errors their codes',
  'core/src/redis/clients/ioredis.ts': 'the cause of a failure of the store',
  'core/src/redis/clients/glide.ts': 'the cause of a failure of the store',
  'core/src/redis/clients/rest.ts': 'the cause of a failure of the store',
  'core/src/redis/lua.ts': 'impossible: no script is sent before a connection is loaded',
  'core/src/redis/rows.ts': 'the cause of a failure of the store',
  'core/src/redis/scripts.ts': 'impossible: every question has a check',
  'core/src/resilience/breaker.ts': 'what a client threw, for the event of a failure',
  'host/src/counts-file.ts': 'a part of the warning that the file is begun anew',
  'host/src/errors.ts': 'the cause of a connection that is closed, or of a failure of the store',
  'host/src/forms.ts':
    'a part of an OptionError, when a policy is accepted, or the cause of a connection that is closed',
  'host/src/frames.ts': 'the cause of a connection that is closed',
  'host/src/hello.ts': 'the cause of a connection that is closed',
  'host/src/seating.ts': 'what a strategy threw, for the event of a failure',
  'state/src/json.ts': 'its message is a part of an OptionError, when a policy is accepted',
  'state/src/states.ts': 'impossible: every key is read first',
  'state/src/stored.ts': 'the cause of a failure of the store',
  'queue/src/outages.ts': 'what a client threw, for the event of a failure',
  'compat/src/fastify-rate-limit/refusal-error.ts':
    'a refusal as @fastify/rate-limit throws it, for error handlers',
  'telemetry/src/batch.ts': 'the cause of a failure of the sink',
  'telemetry/src/writer.ts': 'the cause of a failure of the sink',
  'dashboard/src/assets.ts': 'impossible: only known names are served',
  'cli/src/crowd/exchange.ts': 'a line of the report of the program',
  'cli/src/compare/log/bytes.ts': 'a line of the message of the program',
  'cli/src/endpoint/endpoint.ts': 'ends the stay of visits, and is caught there',
  'conformance/src/': 'fails a test',
}

const uncoded = /\bnew (?:Type|Range|Syntax|Aggregate)?Error\(/

/** Files of published packages that make an error by themselves. */
function makers(): readonly string[] {
  const packages = path.join(root, 'packages')
  return readdirSync(packages).flatMap((name) => {
    const manifest = JSON.parse(readFileSync(path.join(packages, name, 'package.json'), 'utf8'))
    if (manifest.private === true) return []
    const files = readdirSync(path.join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'))
    const paths = sources.map((file) => `${name}/src/${file.split(path.sep).join('/')}`)
    return paths.filter((file) => uncoded.test(readFileSync(path.join(packages, file), 'utf8')))
  })
}

test('every error that a user can meet has a code', () => {
  const names = Object.keys(exceptions)
  const found = makers().map((file) => names.find((name) => file.startsWith(name)) ?? file)
  expect([...new Set(found)].sort()).toEqual(names.sort())
})
