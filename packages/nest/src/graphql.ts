import type { ExecutionContext } from '@nestjs/common'
import { type RequestFacts, serverFacts, stateOf } from '@sluice/http/internal'
import { type Call, isObject, nowhere } from './calls.ts'
import {
  type AnyReply,
  type AnyRequest,
  answerOf,
  factsOf,
  fieldsOf,
  type NestFacts,
  type Trust,
} from './http.ts'

/** Node's own, of no framework. */
type ServerRequest = Parameters<typeof serverFacts>[0]

/** What drivers and applications put into GraphQL's context. */
interface GraphqlContext {
  readonly req?: RequestInContext
  readonly request?: RequestInContext
  readonly res?: AnyReply
  /** Of Mercurius: for a subscription it has the request, and answers nothing. */
  readonly reply?: Partial<AnyReply> & { readonly request?: RequestInContext }
}

type RequestInContext = AnyRequest & {
  /** Express's. */
  readonly res?: AnyReply
  /** Of graphql-ws: the request that has opened the socket, as Node knows it. */
  readonly extra?: { readonly request?: ServerRequest }
}

interface FieldInfo {
  readonly parentType: { readonly name: string }
  readonly fieldName: string
}

/** A field of a query, a mutation or a subscription: each counts by itself. */
export function fieldCall(context: ExecutionContext, trust: Trust): Call {
  const args = context.getArgs()
  const found: unknown = args[2]
  const info: FieldInfo = args[3]
  const shared: GraphqlContext & object = isObject(found) ? found : {}
  const given = shared.req ?? shared.request ?? shared.reply?.request
  const request = given?.extra?.request ?? given
  const response = [shared.res, shared.reply, given?.res].find(canAnswer)
  const holder = request ?? shared
  if (response !== undefined) stateOf(holder).response ??= answerOf(response)
  return {
    request: holder,
    facts: new FieldFacts(request, info, { context, trust }),
    holder,
    args,
    anchor: info,
    fields: response === undefined ? nowhere : fieldsOf(response),
  }
}

function canAnswer(response: Partial<AnyReply> | undefined): response is AnyReply {
  return typeof response?.getHeader === 'function'
}

class FieldFacts implements NestFacts {
  readonly context: ExecutionContext
  readonly ip: string | undefined
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']
  readonly #request: RequestFacts | undefined
  readonly #info: FieldInfo

  constructor(
    request: AnyRequest | ServerRequest | undefined,
    info: FieldInfo,
    { context, trust }: { context: ExecutionContext; trust: Trust },
  ) {
    this.context = context
    const facts = request === undefined ? undefined : requestFacts(request, trust)
    this.ip = facts?.ip
    this.peer = facts?.peer
    this.trustsAll = facts?.trustsAll === true
    this.headers = facts?.headers ?? {}
    this.#request = facts
    this.#info = info
  }

  get method(): string {
    return this.#request?.method ?? 'POST'
  }

  get route(): string {
    return `${this.#info.parentType.name}.${this.#info.fieldName}`
  }
}

/** Without a framework nobody says who the client behind a proxy is. */
function requestFacts(request: AnyRequest | ServerRequest, trust: Trust): RequestFacts {
  return 'ip' in request ? factsOf(request) : serverFacts(request, trust)
}
