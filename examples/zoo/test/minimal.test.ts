import { afterEach, describe, expect, test } from '@jest/globals'
import { example, freePort, killPrograms } from './program.ts'
import { frameworks } from './zoo.ts'

describe.each([...frameworks, 'nest', 'hono'])('the minimal server on %s', (framework) => {
  afterEach(killPrograms)

  test('says where it is, serves, and limits', async () => {
    // Where it is started at home, its compiler options are found: those of Nest know decorators.
    const options = framework === 'nest' ? { TSX_TSCONFIG_PATH: 'examples/nest-minimal/tsconfig.json' } : {}
    const program = example(`${framework}-minimal/src/server.ts`, {
      PORT: String(await freePort()),
      ...options,
    })
    const url = await program.prints(/http:\/\/\S+/)
    const first = await fetch(url)
    expect(await first.text()).toBe('Hello\n')
    expect(first.headers.get('x-ratelimit-limit')).toBe('100')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('99')
    const others = await Promise.all(Array.from({ length: 120 }, () => fetch(url)))
    const refused = others.filter(({ status }) => status === 429)
    expect(others.length - refused.length).toBeGreaterThanOrEqual(99)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(program.stderr).toBe('')
  })
})
