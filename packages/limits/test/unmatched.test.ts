import { afterEach, describe, expect, it } from '@jest/globals'
import { type Limits, type LoadLimitsOptions, loadLimits } from '../src/index.ts'

const tree = {
  schema: {
    user: {
      children: {
        '*': {
          limits: [9, 9, 60],
          children: { trade: { limits: [9, 9, 60] }, health: { limits: 'unlimited' } },
        },
        root: { children: { trade: { limits: [9, 9, 60] } } },
      },
    },
    partner: { limits: [9, 9, 60] },
  },
}
const unmatched = 'a path has no limit, as no place of the limits has its first name'

const open: Limits[] = []
afterEach(async () => {
  for (const limits of open.splice(0)) await limits.close()
})

async function load(options: Partial<LoadLimitsOptions> = {}) {
  const lines: string[] = []
  const heard: string[] = []
  const limits = await loadLimits({
    tree,
    logger: { warn: (line: string) => lines.push(line), error() {} },
    observers: [{ warned: ({ code, message }) => heard.push(`[sluice] ${code}: ${message} (${page})`) }],
    ...options,
  } as LoadLimitsOptions)
  open.push(limits)
  return { limits, lines, heard }
}

const page = 'https://github.com/sluicejs/sluice/blob/main/docs/errors.md#sluice_limits_unmatched'
const lineOf = (name: string) => `[sluice] SLUICE_LIMITS_UNMATCHED: ${unmatched}: ${name} (${page})`

describe('a first name that no place has', () => {
  it('is reported once, with the nearest one, to logger, observers and health', async () => {
    const { limits, lines, heard } = await load()
    for (let i = 0; i < 3; i++) expect((await limits.check(['usr', 'alex'])).allowed).toBe(true)
    await limits.peek(['usr', 'bob', 'trade'])
    await limits.check(['ip', '192.0.2.1'])
    expect(lines).toEqual([lineOf('"usr" (did you mean "user"?)'), lineOf('"ip"')])
    expect(heard).toEqual(lines)
    expect(limits.health().warnings).toEqual(['SLUICE_LIMITS_UNMATCHED'])
  })

  it('is reported for twenty names, cut to a line and escaped', async () => {
    const { limits, lines } = await load()
    const names = [
      '\u009b31m\n\u202e',
      'x'.repeat(5000),
      ...Array.from({ length: 500 }, (_, i) => `stranger ${i}`),
    ]
    for (const name of names) await limits.check([name])
    expect(lines).toHaveLength(20)
    expect(lines[0]).toBe(lineOf('"\\u{9b}31m\\n\\u{202e}"'))
    expect(lines[1]).toBe(lineOf(`"${'x'.repeat(60)}…"`))
    expect(lines[19]).toBe(lineOf('"stranger 17"; further names are not reported'))
  })

  it('is none where the path leaves the tree later, is unlimited there, or any name will do', async () => {
    const { limits, lines } = await load()
    for (const path of [['user'], ['user', 'root', 'walk'], ['user', 'alex', 'health'], ['partner', 'x']])
      await limits.check(path)
    limits.replace({ schema: { '*': { children: { here: { limits: [1, 1, 1] } } } } })
    await limits.check(['anything', 'there'])
    expect(lines).toEqual([])
  })

  it('is refused with unmatched: deny as by the file, without a warning', async () => {
    const { limits, lines } = await load({ unmatched: 'deny' })
    const refusal = { allowed: false, reason: 'denied', policy: 'unmatched', retryAfterMs: null }
    expect(await limits.check(['usr', 'alex'])).toMatchObject(refusal)
    expect(await limits.check(['user', 'root', 'walk'])).toMatchObject(refusal)
    expect((await limits.check(['user', 'alex'])).allowed).toBe(true)
    expect(lines).toEqual([])
  })
})

describe('limits that no path has met', () => {
  it('are named in the order of the file, until one meets them, and anew when other limits hold', async () => {
    const { limits } = await load()
    expect(limits.unmet()).toEqual(['user/*', 'user/*/trade', 'user/root/trade', 'partner'])
    await limits.check(['user', 'alex', 'trade'])
    expect(limits.unmet()).toEqual(['user/root/trade', 'partner'])
    await limits.check(['user', 'root', 'trade'])
    await limits.check(['partner', 'x'])
    expect(limits.unmet()).toEqual([])
    limits.replace(tree)
    await limits.check(['user', 'bob'])
    expect(limits.unmet()).toEqual(['user/*/trade', 'user/root/trade', 'partner'])
  })
})
