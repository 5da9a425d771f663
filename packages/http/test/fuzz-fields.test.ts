import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import type { Policy } from '@sluice/core'
import fc from 'fast-check'
import { isInnerList, parseDictionary, parseList } from 'structured-headers'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { guardUpgrade, type Outcome, outcomeOf } from '../src/index.ts'
import { exchangeOf } from './exchange.ts'
import { facts, limiters, marker } from './hostile.ts'

const runs = { numRuns: 300 }

/** The parameters of each item of a list, by the name that the item is. */
function itemsOf(
  field: string,
): readonly (readonly [name: unknown, parameters: ReadonlyMap<string, unknown>])[] {
  return parseList(field).map((item) => {
    if (isInnerList(item)) throw new Error(`an inner list in ${field}`)
    return item
  })
}

function expectItems(field: string, wanted: string): void {
  for (const [name, parameters] of itemsOf(field)) {
    expect(typeof name).toBe('string')
    expect(parameters.has(wanted)).toBe(true)
    for (const value of parameters.values())
      expect(Number.isSafeInteger(value) && Number(value) >= 0).toBe(true)
  }
}

/** `RateLimit` of draft 7. */
function expectNumbers(field: string): void {
  const numbers = parseDictionary(field)
  expect([...numbers.keys()]).toEqual(['limit', 'remaining', 'reset'])
  for (const [value] of numbers.values()) expect(Number.isSafeInteger(value) && Number(value) >= 0).toBe(true)
}

/** `RateLimit-Policy` of drafts 6 and 7: no quota twice. */
function expectQuotas(field: string): void {
  const quotas = itemsOf(field)
  expect(new Set(quotas.map(([quota]) => quota)).size).toBe(quotas.length)
  for (const [quota, parameters] of quotas) {
    expect(Number.isSafeInteger(quota) && Number(quota) >= 0).toBe(true)
    expect([[...parameters.keys()], Number(parameters.get('w')) >= 1]).toEqual([['w'], true])
  }
}

/** A client reads one draft: its names, and one form in the fields that all have. */
function expectOneDraft(fields: ReadonlyMap<string, string>): void {
  const isSixth = fields.has('ratelimit-limit')
  for (const name of ['ratelimit-remaining', 'ratelimit-reset']) expect(fields.has(name)).toBe(isSixth)
  const [policy, limit] = [fields.get('ratelimit-policy'), fields.get('ratelimit')]
  if (isSixth) expect(limit).toBeUndefined()
  if (policy !== undefined && limit !== undefined) expect(policy.startsWith('"')).toBe(limit.startsWith('"'))
}

/** What a field says can be read by whoever reads the field, and nothing of it came from a client. */
function expectField(name: string, value: string): void {
  expect(value).toMatch(/^[\x20-\x7e]+$/)
  expect(value).not.toContain(marker)
  if (name.startsWith('x-ratelimit-')) expect(value).toMatch(/^(0|[1-9]\d{0,14})$/)
  else if (name === 'retry-after') expect(value).toMatch(/^[1-9]\d{0,14}$/)
  else if (name === 'ratelimit') value.startsWith('"') ? expectItems(value, 'r') : expectNumbers(value)
  else if (name === 'ratelimit-policy') value.startsWith('"') ? expectItems(value, 'q') : expectQuotas(value)
  else if (name.startsWith('ratelimit-')) expect(value).toMatch(/^(0|[1-9]\d{0,14})$/)
  else expect([name, value]).toEqual(['cache-control', 'no-store'])
}

function expectFields(fields: Iterable<readonly [name: string, value: unknown]>): void {
  const all = new Map([...fields].map(([name, value]) => [name.toLowerCase(), String(value)]))
  for (const [name, value] of all) expectField(name, value)
  expectOneDraft(all)
}

/** A refusal states a wait exactly where waiting helps. */
function expectRefusal({ decision, refusal, headers }: Outcome): void {
  if (decision === null || refusal === null) return
  expect(refusal.body).not.toContain(marker)
  expect(JSON.parse(refusal.body)).toMatchObject({ status: refusal.status })
  const waits = refusal.status !== 403 && decision.retryAfterMs !== null
  expect(headers.some(([name]) => name === 'Retry-After')).toBe(waits)
}

/** What a gate says of a request, and what is said of its decision alone. */
function expectOutcome(outcome: Outcome): void {
  const alone =
    outcome.decision === null ? outcome : outcomeOf(outcome.decision, { headers: { draft: true } })
  for (const each of [outcome, alone]) {
    expectFields(each.headers)
    expectRefusal(each)
  }
}

describe('whatever limiters, policies, numbers and keys are', () => {
  it('each field says what it is to say, and nothing of the client', async () => {
    const property = fc.asyncProperty(fc.array(limiters, { minLength: 1, maxLength: 2 }), async (all) => {
      const gates = all.map((each) => createGate<object>(each))
      for (let i = 0; i < 3; i++) {
        const exchange = exchangeOf(facts, {})
        for (const gate of gates) expectOutcome(await handleRequest(gate, exchange))
        expectFields(Object.entries(exchange.raw.getHeaders()))
      }
    })
    await fc.assert(property, runs)
  })

  it('so does each line of a refused upgrade', async () => {
    const property = fc.asyncProperty(limiters, async (each) => {
      const guard = guardUpgrade(each as { policies: { [name: string]: Policy } })
      for (let i = 0; i < 3; i++) {
        const request = Object.assign(new IncomingMessage(new Socket()), {
          method: marker,
          url: `/${marker}`,
        })
        request.headers['x-forwarded-for'] = marker
        const [head = '', body] = (await writtenBy(guard, request)).split('\r\n\r\n')
        if (head === '') continue
        const [status, connection, type, ...fields] = head.split('\r\n')
        expect(status).toMatch(/^HTTP\/1\.1 (429|403|503) [A-Z][A-Za-z ]+$/)
        expect([connection, type]).toEqual(['Connection: close', 'Content-Type: application/problem+json'])
        expect(fields.pop()).toBe(`Content-Length: ${body?.length}`)
        expectFields(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string])) // name and value
      }
    })
    await fc.assert(property, runs)
  })
})

/** What a guard writes to the socket of an upgrade; nothing where it lets it pass. */
async function writtenBy(guard: ReturnType<typeof guardUpgrade>, request: IncomingMessage): Promise<string> {
  let text = ''
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  await guard(request, socket)
  return text
}
