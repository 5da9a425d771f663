import { isRecord } from '../../options.ts'
import { CommandConnection } from '../connection.ts'
import { malformed } from '../reply.ts'
import type { RestPlace } from '../rest-options.ts'
import { RestFront } from './rest-front.ts'

/** A command on its way, and the functions that get its reply. */
interface Sent {
  /** The command as texts: a front could write a long number in another way. */
  readonly words: readonly string[]
  /** Whether texts are wanted as bytes. */
  readonly bytes: boolean
  answer(reply: unknown): void
  fail(error: unknown): void
}

/**
 * A connection by the REST protocol of Upstash, by `fetch` alone, for runtimes that open no connections. Commands of one turn go in one
 * request, and none waits for requests under way: a worker may not wait for what another of its requests has asked.
 */
export class RestConnection extends CommandConnection {
  readonly apart = true
  readonly #front: RestFront
  #gathered: Sent[] = []

  constructor(place: RestPlace) {
    super()
    this.#front = new RestFront(place)
  }

  async close(): Promise<void> {
    this.#front.close()
  }

  protected ask(words: readonly string[], bytes: boolean): Promise<unknown> {
    return new Promise((answer, fail) => {
      if (this.#gathered.length === 0) queueMicrotask(this.#sendGathered)
      this.#gathered.push({ words, bytes, answer, fail })
    })
  }

  readonly #sendGathered = (): void => {
    const sent = this.#gathered
    this.#gathered = []
    void this.#send(sent)
  }

  async #send(sent: readonly Sent[]): Promise<void> {
    const [first] = sent
    if (first === undefined) return
    try {
      const alone = sent.length === 1
      const answered = alone
        ? [await this.#front.ask('/', JSON.stringify(first.words))]
        : await this.#front.ask('/pipeline', JSON.stringify(sent.map(({ words }) => words)))
      const replies = this.#repliesOf(answered, sent.length)
      for (const [i, each] of sent.entries()) this.#settle(each, replies[i])
    } catch (error) {
      for (const each of sent) each.fail(error)
    }
  }

  /** One reply for each command. Throws where the answer is a single error, which is then the error of all. */
  #repliesOf(answered: unknown, count: number): readonly unknown[] {
    if (Array.isArray(answered) && answered.length === count) return answered
    throw this.#errorOf(answered) ?? malformed()
  }

  #settle(sent: Sent, reply: unknown): void {
    try {
      sent.answer(this.#resultOf(reply, sent.bytes))
    } catch (error) {
      sent.fail(error)
    }
  }

  #resultOf(reply: unknown, bytes: boolean): unknown {
    const error = this.#errorOf(reply)
    if (error !== undefined) throw error
    if (isRecord(reply) && 'result' in reply) return decoded(reply.result, bytes)
    throw malformed()
  }

  /** The server's error for a command, if the reply is one. */
  #errorOf(reply: unknown): Error | undefined {
    const said = isRecord(reply) ? reply.error : undefined
    return typeof said === 'string' ? new Error(this.#front.withoutToken(said)) : undefined
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Every text is in Base64, except the `OK` of a command that answers nothing else. */
function decoded(value: unknown, bytes: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => decoded(each, bytes))
  if (typeof value !== 'string' || value === 'OK') return value
  const found = bytesOf(value)
  return bytes ? found : utf8.decode(found)
}

function bytesOf(base64: string): Uint8Array {
  let binary: string
  try {
    binary = atob(base64)
  } catch {
    throw malformed()
  }
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
