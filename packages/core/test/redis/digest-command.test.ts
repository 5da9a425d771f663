import { expect, it } from '@jest/globals'
import { Command } from 'ioredis'
import { DigestCommand } from '../../src/redis/clients/ioredis.ts'
import { scriptOf } from '../../src/redis/connection.ts'

const about = { listener: { heard() {}, failed() {} }, known: new Set<string>(), sender: { failed() {} } }
const [one, other] = [scriptOf('return 1'), scriptOf('return 2')]

// One after another, as what stands before the keys is kept of the latest call.
it.each([
  [one, ['a'], ['1']],
  [one, ['a', 'b'], ['1']],
  [one, ['a', 'b'], ['1', 2]],
  [one, ['a'], ['1']],
  [other, ['a'], ['1']],
  [one, ['é'], ['€', 3]],
])('a call of a script is written as ioredis writes it: %#', (script, keys, args) => {
  const theirs = new Command('evalsha', [script.sha, String(keys.length), ...keys, ...args.map(String)])
  const ours = new DigestCommand(script, { keys, args }, about).toWritable()
  expect(ours).toBe(theirs.toWritable({}))
})
