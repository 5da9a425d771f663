import { type Answer, KeptWith } from '@sluice/http/internal'

/** The members of Node's request that say when its connection ends. */
export interface Incoming {
  readonly socket: NonNullable<Answer['socket']>
  readonly upgrade?: boolean | null
}

/** Node's own request and response behind a Web-standard one, as far as a platform shows them. */
export interface NodeExchange {
  readonly incoming: Incoming | undefined
  readonly outgoing: Answer | undefined
}

/** Hono calls them `incoming` and `outgoing`, all others `req` and `res`: any object may have such members. */
type Shown = { readonly [name in 'incoming' | 'req' | 'outgoing' | 'res']?: unknown }

export function nodeExchange(shown: unknown): NodeExchange {
  if (typeof shown !== 'object' || shown === null) return { incoming: undefined, outgoing: undefined }
  const { incoming, req, outgoing, res }: Shown = shown
  return { incoming: asIncoming(incoming ?? req), outgoing: asAnswer(outgoing ?? res) }
}

function asIncoming(value: unknown): Incoming | undefined {
  const { socket } = Object(value) as Partial<Incoming> // each is looked at
  return typeof socket?.once === 'function' ? (value as Incoming) : undefined
}

function asAnswer(value: unknown): Answer | undefined {
  const { once, writableEnded } = Object(value) as Partial<Answer> // each is looked at
  return typeof once === 'function' && typeof writableEnded === 'boolean' ? (value as Answer) : undefined
}

/** The requests that Node's responses answer: a program may send a request to itself while it answers one. */
const answered = new KeptWith<Answer, Request>()

/** Whether Node's response is that of this request, and not of one within it. */
export function answers(outgoing: Answer, request: Request): boolean {
  const known = answered.get(outgoing)
  if (known === undefined) answered.set(outgoing, request)
  return known === undefined || known === request
}
