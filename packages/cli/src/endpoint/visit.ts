import type { IncomingMessage } from 'node:http'
import { Problem } from './answer.ts'
import type { Run } from './run.ts'

/** One visitor at the endpoint. */
export interface Visit {
  readonly run: Run
  readonly visitor: string
  askedUs: number
  answeredUs: number
}

const longestName = 60

// A limiter's options are asked about the framework's request, and it is not for us to write on that.
const visits = new WeakMap<object, Visit>()

/** Throws a Problem where no visitor is named. */
export function beginVisit(request: IncomingMessage, run: Run): void {
  const visitor = readVisitor(request.headers['x-visitor'])
  visits.set(request, { run, visitor, askedUs: 0, answeredUs: 0 })
}

/** The visit that a request has begun: Node's own request, or a framework's that holds it. */
export function visitOf(request: object): Visit {
  const visit = visits.get(rawOf(request))
  if (visit === undefined) throw new Error('the endpoint has not been asked whether this visitor may enter')
  return visit
}

function rawOf(request: { raw?: object; req?: object }): object {
  return request.raw ?? request.req ?? request
}

/** Node reads a field's bytes as Latin-1; a terminal sends UTF-8. */
function readVisitor(field: string | readonly string[] | undefined): string {
  const name = typeof field === 'string' ? Buffer.from(field, 'latin1').toString().trim() : ''
  if (name !== '' && [...name].length <= longestName) return name
  throw new Problem(400, `X-Visitor: expected a name of 1 to ${longestName} characters.`)
}
