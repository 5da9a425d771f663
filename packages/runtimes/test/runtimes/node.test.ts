import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { nodeProgram } from '@sluice/runtimes'

const root = path.resolve(__dirname, '../../../..')
const runner = path.join(root, 'node_modules/jest/bin/jest.js')

/** Each adapter's suite on its newest framework, and the stores in memory and in Redis. */
const quick = [
  'packages/(express/test/express5|fastify/test/fastify5|koa/test/koa3|core/test/store/memory|core/test/redis/(ioredis|node-redis))',
  '--selectProjects',
  'adapters',
  'unit',
  'redis',
]

it.each([22, 24] as const)(
  'Node %i passes a quick run',
  async (major) => {
    const node = nodeProgram(major)
    const { stdout: version } = await promisify(execFile)(node, ['--version'])
    expect(version).toMatch(new RegExp(`^v${major}\\.`))
    // Its counts are no part of this run's.
    const env = { ...process.env, SLUICE_TEST_COUNTS: undefined, JEST_WORKER_ID: undefined }
    const { stdout, stderr } = await promisify(execFile)(node, [runner, ...quick], {
      cwd: root,
      env,
      maxBuffer: 2 ** 26,
    })
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(`${stdout}${stderr}`) ?? []
    expect({ failed, enough: Number(passed) > 1000 }).toEqual({ failed: '0', enough: true })
  },
  300_000,
)
