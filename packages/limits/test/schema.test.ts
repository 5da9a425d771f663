import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import * as strategies from '@sluice/core/strategies'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { bad, good } from './examples.ts'

const schema = JSON.parse(readFileSync(path.join(__dirname, '../limits.schema.json'), 'utf8'))
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

  it('knows every strategy', () => {
    const known: readonly { $ref: string }[] = schema.definitions.policy.oneOf
    const names = Object.keys(strategies).filter((name) => name !== 'policyFrom')
    expect(known.map(({ $ref }) => $ref.replace('#/definitions/', '')).sort()).toEqual(names.sort())
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
