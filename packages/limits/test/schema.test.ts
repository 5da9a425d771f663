import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { bad, good } from './examples.ts'
import { strategyDefinitions } from './schema-of.ts'

const file = path.join(__dirname, '../limits.schema.json')
const schema = JSON.parse(readFileSync(file, 'utf8'))
const strategies = strategyDefinitions()

if (process.env.SLUICE_WRITE_OPTIONS) {
  const { policy, ...others } = schema.definitions
  const shared = Object.entries(others).filter(([, each]) => !isStrategy(each))
  const oneOf = Object.keys(strategies).map((name) => ({ $ref: `#/definitions/${name}` }))
  schema.definitions = { ...Object.fromEntries(shared), policy: { ...policy, oneOf }, ...strategies }
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`)
}

function isStrategy(definition: unknown): boolean {
  return JSON.stringify(definition).includes('"strategy":{"const":')
}

const isRight = new Ajv().compile(schema)

describe('the JSON Schema for editors', () => {
  it.each(good)('takes what is right: $title', ({ text }) => {
    expect(isRight(parse(text))).toBe(true)
  })

  it.each(bad.filter(({ unseen }) => unseen === undefined))('refuses what is wrong: $title', ({ text }) => {
    expect(isRight(parse(text))).toBe(false)
  })

  it.each(bad.filter(({ unseen }) => unseen !== undefined))('cannot see that $unseen: $title', ({ text }) => {
    expect(isSeen(text)).toBe(false)
  })

  it('says of every strategy what its options declare', () => {
    const { policy, ...others } = schema.definitions
    const written = Object.entries(others).filter(([, each]) => isStrategy(each))
    expect(Object.fromEntries(written)).toEqual(JSON.parse(JSON.stringify(strategies)))
    const known: readonly { $ref: string }[] = policy.oneOf
    expect(known.map(({ $ref }) => $ref.replace('#/definitions/', ''))).toEqual(Object.keys(strategies))
  })
})

/** Whether an editor that can read a text at all would find it wrong. */
function isSeen(text: string): boolean {
  try {
    return !isRight(parse(text, { uniqueKeys: false, logLevel: 'error' }))
  } catch {
    return false
  }
}
