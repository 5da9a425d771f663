import type { IncomingMessage } from 'node:http'
import { optionError } from '@sluice/core/internal'
import { Problem } from './answer.ts'
import type { Run } from './run.ts'

/** One visitor's request at the endpoint. */
export interface Visit {
  readonly run: Run
  readonly visitor: string
  askedUs: number
  answeredUs: number
}

const maxNameLength = 60

// A WeakMap, because requests belong to the framework and must not be modified.
const visits = new WeakMap<object, Visit>()

/** Throws a Problem if the request names no visitor. */
export function beginVisit(request: IncomingMessage, run: Run): void {
  const visitor = readVisitor(request.headers['x-visitor'])
  visits.set(request, { run, visitor, askedUs: 0, answeredUs: 0 })
}

/** The visit of a request: Node's own request, or a framework's that contains it. */
export function visitOf(request: object): Visit {
  const visit = visits.get(rawOf(request))
  if (visit === undefined) throw optionError('request', 'a request that endpoint.enter() has let in', request)
  return visit
}

function rawOf(request: { raw?: object; req?: object }): object {
  return request.raw ?? request.req ?? request
}

/** Node reads a field's bytes as Latin-1; a terminal sends UTF-8. */
function readVisitor(field: string | readonly string[] | undefined): string {
  const name = typeof field === 'string' ? Buffer.from(field, 'latin1').toString().trim() : ''
  if (name !== '' && [...name].length <= maxNameLength) return name
  throw new Problem(400, `X-Visitor: expected a name of 1 to ${maxNameLength} characters.`)
}
