/** What the copy is asked of its new strategy, beside its own tests: prints JSON. */
export const program = `
import { Redis } from 'ioredis'
import { readLimitsText } from '@sluice/limits'
import { startRedis } from './redis-server.ts'
import { storedBytes } from './stored-bytes.ts'
import { policyData, textOf } from '../../cli/src/compare/policy-text.ts'
import { scaled } from '../../cli/src/compare/scaled.ts'
import { searchOf } from '../../cli/src/compare/suggest/numbers.ts'
import { crowdTests } from '../../cli/src/crowd/tests.ts'

const file = (options) => 'schema:\\n  user:\\n    limits: { strategy: hitWindow, ' + options + ' }\\n'
const saidOf = (options) => {
  try {
    return readLimitsText(file(options)).levels.map(({ rule }) => rule)
  } catch (error) {
    return error.message
  }
}
const data = policyData('hitWindow:10/1m,start=clock')
const sought = await searchOf(data)(async ({ hits }) => hits >= 7)
const server = await startRedis()
const client = new Redis(server.socket)
const { rows } = await storedBytes(client)
client.disconnect()
await server.stop()
console.log(JSON.stringify({
  yaml: saidOf('hits: 5, every: 1h'),
  withoutUnit: saidOf('hits: 5, every: 10'),
  misspelt: saidOf('hit: 5, every: 1h'),
  data,
  half: textOf(scaled(data, 0.5)),
  sought,
  crowd: crowdTests.find(({ name }) => name === 'hitWindow')?.rule(30).policies,
  stored: rows.find(({ name }) => name === 'hitWindow')?.cells[0]?.median,
}))
`
