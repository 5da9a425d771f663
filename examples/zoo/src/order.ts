import type { IncomingMessage } from 'node:http'
import { readJsonBody } from '@sluice/http/internal'
import { Problem } from './problem.ts'

/** A visitor's order of tickets. */
export interface Order {
  readonly visitor: string
  readonly quantity: number
}

const maxBytes = 10_000
const longestName = 40
const mostTickets = 10

// A WeakMap, because requests belong to the framework and must not be modified.
const orders = new WeakMap<object, Order>()

/** Reads the order of a request, before the limiter needs it. `raw` is Node's request. */
export async function takeOrder(request: object, raw: IncomingMessage): Promise<void> {
  const { visitor, quantity = 1 } = await readBody(raw)
  orders.set(request, {
    visitor: readVisitor(visitor ?? headerText(raw.headers['x-visitor'])),
    quantity: readQuantity(quantity),
  })
}

/** The order of a request that takeOrder has seen. */
export function orderOf(request: object): Order {
  const order = orders.get(request)
  if (order === undefined) throw new Error('takeOrder comes first')
  return order
}

/** A visitor's name without the spaces around it. */
export function readVisitor(visitor: unknown): string {
  const name = typeof visitor === 'string' ? visitor.trim() : ''
  if (name !== '' && [...name].length <= longestName) return name
  throw new Problem(400, `visitor: expected a name of 1 to ${longestName} characters.`)
}

function readQuantity(quantity: unknown): number {
  if (typeof quantity === 'number' && Number.isInteger(quantity) && quantity >= 1 && quantity <= mostTickets)
    return quantity
  throw new Problem(400, `quantity: expected a whole number of 1 to ${mostTickets}.`)
}

async function readBody(raw: IncomingMessage): Promise<{ visitor?: unknown; quantity?: unknown }> {
  const { fault, value } = await readJsonBody(raw, maxBytes)
  switch (fault) {
    case 'read-before':
    case 'empty':
      return {}
    case 'not-json':
      throw new Problem(400, 'The body is not valid JSON.')
    case 'cut-off':
      throw new Problem(400, 'The request ended before its body was complete.')
    case 'too-long':
      throw new Problem(413, `The body may have at most ${maxBytes} bytes.`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Problem(400, 'The body must be a JSON object such as {"visitor":"bob","quantity":1}.')
}

/** Node reads a field's bytes as Latin-1; a terminal sends UTF-8. */
function headerText(field: string | readonly string[] | undefined): string | undefined {
  return typeof field === 'string' ? Buffer.from(field, 'latin1').toString() : undefined
}
