import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { convertEnvoyConfig, isLimitsError, readLimitsText, walk } from '../src/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'envoy-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

/** What is said of files, without their folder. */
async function problemsOf(...texts: readonly string[]): Promise<readonly string[]> {
  for (const [i, text] of texts.entries()) write(`${i}.yaml`, text)
  try {
    await convertEnvoyConfig(folder)
    return []
  } catch (error) {
    if (!isLimitsError(error)) throw error
    return error.message.split('\n').map((line) => line.replace(`${folder}/`, ''))
  }
}

const all = 'domain: zoo\ndescriptors:\n'
const fields =
  'key, value, rate_limit, descriptors, shadow_mode, quota_mode, share_threshold, detailed_metric, value_to_metric, metadata'
const rateFields = 'unit, requests_per_unit, unlimited, name, replaces; all others stand beside rate_limit'
const unit = 'a unit: second, minute, hour, day, week, month, year'
const requests = 'a whole number from 0 to 4294967295'
const of = (rate: string) => `${all}  - { key: a, rate_limit: { ${rate} } }\n`
const at = 'descriptors[0]'
const deep = (depth: number): string => (depth === 0 ? '[]' : `[{ key: a, descriptors: ${deep(depth - 1)} }]`)

describe('what cannot be kept of a file of envoyproxy/ratelimit', () => {
  // biome-ignore format: a table
  it.each<readonly [title: string, text: string, ...problems: readonly string[]]>([
    ['no YAML',                       "'''\n",                                            '0.yaml:2:1: expected well-formed YAML, got a mistake in it (Missing closing \'quote)'],
    ['a list',                        '- a\n',                                            '0.yaml:1:1: expected a mapping with domain and descriptors, got a list of 1'],
    ['an unknown field above all',    'domain: zoo\nlimits: []\n',                        '0.yaml:2:1: limits: expected a known field (there are domain and descriptors), got "limits" (string)'],
    ['no domain',                     'descriptors: []\n',                                '0.yaml:1:1: expected a domain, got none'],
    ['a domain of nothing',           'domain:\n',                                        '0.yaml:1:8: domain: expected a domain, got none'],
    ['descriptors that are no list',  'domain: zoo\ndescriptors: { key: a }\n',           '0.yaml:2:14: descriptors: expected a list of descriptors, got a mapping'],
    ['descriptors that are texts',    `${all}  - a\n`,                                    `0.yaml:3:5: ${at}: expected a descriptor such as { key: user, rate_limit: … }, got "a" (string)`],
    ['no key',                        `${all}  - { value: a }\n`,                         `0.yaml:3:5: ${at}: expected a key, got none`],
    ['a key that is no text',         `${all}  - { key: [a] }\n`,                         `0.yaml:3:12: ${at}.key: expected a string, got a list of 1`, `0.yaml:3:12: ${at}.key: expected a key, got none`],
    ['a key with a star',             `${all}  - { key: a* }\n`,                          `0.yaml:3:12: ${at}.key: expected a key without "*", which values may have, got "a*" (string)`],
    ['a field misspelt',              `${all}  - { key: a, ratelimit: {} }\n`,            `0.yaml:3:15: ${at}.ratelimit: expected a known field (did you mean "rate_limit"?), got "ratelimit" (string)`],
    ['an unknown field',              `${all}  - { key: a, weight: 1 }\n`,                `0.yaml:3:15: ${at}.weight: expected a known field (there are ${fields}), got "weight" (string)`],
    ['a field in the wrong place',    of('unit: day, shadow_mode: true'),                 `0.yaml:3:40: ${at}.rate_limit.shadow_mode: expected a known field (there are ${rateFields}), got "shadow_mode" (string)`],
    ['an unknown unit',               of('unit: fortnight, requests_per_unit: 1'),        `0.yaml:3:35: ${at}.rate_limit.unit: expected ${unit}, got "fortnight" (string)`],
    ['no unit',                       of('requests_per_unit: 1'),                         `0.yaml:3:27: ${at}.rate_limit: expected ${unit}, got none`],
    ['a unit beside unlimited',       of('unlimited: true, unit: day'),                   `0.yaml:3:52: ${at}.rate_limit.unit: expected no unit beside unlimited, got "day" (string)`],
    ['fewer than none',               of('unit: day, requests_per_unit: -1'),             `0.yaml:3:59: ${at}.rate_limit.requests_per_unit: expected ${requests}, got -1 (number)`],
    ['a part of one',                 of('unit: day, requests_per_unit: 1.5'),            `0.yaml:3:59: ${at}.rate_limit.requests_per_unit: expected ${requests}, got 1.5 (number)`],
    ['more than can be said',         of('unit: day, requests_per_unit: 4294967296'),     `0.yaml:3:59: ${at}.rate_limit.requests_per_unit: expected ${requests}, got 4294967296 (number)`],
    ['a number in quotes',            of('unit: day, requests_per_unit: "5"'),            `0.yaml:3:59: ${at}.rate_limit.requests_per_unit: expected ${requests}, got "5" (string)`],
    ['a number by octal digits',      of('unit: day, requests_per_unit: 010'),            `0.yaml:3:59: ${at}.rate_limit.requests_per_unit: expected ${requests}, got 10 (number)`],
    ['a limit that is no mapping',    `${all}  - { key: a, rate_limit: 5 }\n`,            `0.yaml:3:27: ${at}.rate_limit: expected a mapping with unit and requests_per_unit, got 5 (number)`],
    ['a switch that is none',         `${all}  - { key: a, shadow_mode: maybe }\n`,       `0.yaml:3:28: ${at}.shadow_mode: expected true or false, got "maybe" (string)`],
    ['a share without a star',        `${all}  - { key: a, value: b, share_threshold: true }\n`, `0.yaml:3:42: ${at}.share_threshold: expected it with a value that has "*" in it, got true (boolean)`],
    ['names that are no list',        of('unit: day, replaces: a'),                       `0.yaml:3:50: ${at}.rate_limit.replaces: expected a list of names such as [{ name: usual }], got "a" (string)`],
    ['a name that is no mapping',     of('unit: day, replaces: [a]'),                     `0.yaml:3:51: ${at}.rate_limit.replaces[0]: expected a name such as { name: usual }, got "a" (string)`],
    ['a name of nothing',             of('unit: day, replaces: [{ name: }]'),             `0.yaml:3:59: ${at}.rate_limit.replaces[0].name: expected the name of another limit, got none`],
    ['its own name',                  of('unit: day, name: b, replaces: [{ name: b }]'),  `0.yaml:3:68: ${at}.rate_limit.replaces[0].name: expected the name of another limit, got "b" (string)`],
    ['the same descriptor again',     `${all}  - { key: a, value: b }\n  - { key: a }\n  - { key: a, value: b }\n`, '0.yaml:5:5: descriptors[2]: expected each key and value once, got "a = b" again'],
    ['an endless alias',              `domain: zoo\ndescriptors: &d\n  - { key: a, descriptors: *d }\n`, expect.stringMatching(/expected at most 60 descriptors, one below the other, got more$/) as never],
  ])('%s', async (_title, text, ...problems) => {
    expect(await problemsOf(text)).toEqual(problems)
  })

  it('is said of all files at once', async () => {
    expect(
      await problemsOf(
        `${all}  - { key: a }\n`,
        `${all}  - { key: b, weight: 1 }\n`,
        `${all}  - { key: a }\n`,
      ),
    ).toEqual([
      `1.yaml:3:15: descriptors[0].weight: expected a known field (there are ${fields}), got "weight" (string)`,
      '2.yaml:3:5: descriptors[0]: expected each key and value once, got "a" again',
    ])
  })

  it('is nothing down to sixty descriptors', async () => {
    expect(await problemsOf(`domain: zoo\ndescriptors: ${deep(59)}\n`)).toEqual([])
    expect(await problemsOf(`domain: zoo\ndescriptors: ${deep(60)}\n`)).toHaveLength(1)
  })
})

it('becomes a file of limits', async () => {
  write(
    'b.yaml',
    `${all}  - key: path\n    value: /feed/*\n    share_threshold: true\n    rate_limit: { unit: minute, requests_per_unit: 5, name: feed }\n  - key: path\n    shadow_mode: true\n    rate_limit: { unit: day, requests_per_unit: 9, replaces: [{ name: feed }] }\n`,
  )
  write(
    'a.yaml',
    'domain: "7"\ndescriptors:\n  - key: gate\n    value: shut\n    rate_limit: { unit: second, requests_per_unit: 0 }\n    descriptors: [{ key: who, rate_limit: { unlimited: true } }]\n',
  )
  const text = await convertEnvoyConfig(folder)
  expect(text).toBe(`match: end
schema:
  "7":
    children:
      gate:
        children:
          shut:
            limits:
              strategy: fixedWindow
              limit: 0
              window: 1s
              start: clock
            children:
              who:
                children:
                  "*":
                    limits: unlimited
  zoo:
    children:
      path:
        patterns:
          /feed/*:
            shared: true
            name: feed
            limits:
              strategy: fixedWindow
              limit: 5
              window: 1m
              start: clock
        children:
          "*":
            replaces:
              - feed
            limits:
              strategy: fixedWindow
              limit: 9
              window: 1d
              start: clock
              shadow: true
`)
  expect(readLimitsText(text).levels.map(({ name }) => name)).toEqual([
    '7/gate/shut',
    'zoo/path/*',
    'zoo/path/%2Ffeed%2F*',
  ])
})

it('keeps any name, and prints none that a terminal would obey', async () => {
  const names = ['\u{1f469}\u200d\u{1f680}', 'a\nb', '\u009b31m', '\u202eabc', '7', 'null', '- a', '\u2028']
  const descriptors = names.map((value) =>
    JSON.stringify({ key: 'k', value, rate_limit: { unlimited: true } }),
  )
  const file = write('a.yaml', `domain: zoo\ndescriptors: [${descriptors.join(', ')}]\n`)
  const text = await convertEnvoyConfig(file)
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  const tree = readLimitsText(text)
  for (const name of names) expect(walk(tree, ['zoo', 'k', name])?.pattern).toBe(`zoo/k/${name}`)
})
