import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { disturbed, isDisturbed } from './rounds.ts'

/** What a helper process can be asked: each name with what goes with it, and its answer. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of functions of any kind
export type Duties = { readonly [name: string]: (about: any) => unknown }

type About<D extends Duties, N extends keyof D> = Parameters<D[N]>[0]
type Answer<D extends Duties, N extends keyof D> = Awaited<ReturnType<D[N]>>

interface Reply {
  readonly answer?: unknown
  readonly error?: string
  readonly disturbed?: boolean
}

/** A process that does what it is asked, one thing after another. */
export class Helper<D extends Duties> {
  readonly #child: ChildProcess

  /** `file`: beside this one. */
  constructor(file: string, args: readonly string[] = [], flags: readonly string[] = []) {
    const program = fileURLToPath(new URL(file, import.meta.url))
    const execArgv = [...process.execArgv, ...flags]
    const env = { ...process.env, NODE_ENV: 'production' }
    this.#child = fork(program, [...args], { execArgv, env, stdio: 'inherit' })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async ask<N extends keyof D & string>(name: N, about: About<D, N>): Promise<Answer<D, N>> {
    const ended = new AbortController()
    const { signal } = ended
    const answered = once(this.#child, 'message', { signal })
    const lost = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`A process of the bench has ended with ${code}.`)
    })
    this.#child.send({ name, about })
    try {
      const [message] = await Promise.race([answered, lost])
      const reply = message as Reply // what serve sends
      if (reply.error !== undefined) throw reply.disturbed ? disturbed(reply.error) : new Error(reply.error)
      return reply.answer as Answer<D, N> // of the duty of that name
    } finally {
      ended.abort()
      lost.catch(() => {})
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }
}

/** The helper's side: answers until its parent has gone. */
export function serve(duties: Duties): void {
  process.on('message', (message) => {
    const { name, about } = message as { name: string; about: unknown } // what ask sends
    void reply(duties[name], about).then((made) => process.send?.(made))
  })
  process.once('disconnect', () => process.exit(0))
}

async function reply(duty: Duties[string] | undefined, about: unknown): Promise<Reply> {
  try {
    if (duty === undefined) throw new Error('There is no such duty.')
    return { answer: await duty(about) }
  } catch (thrown) {
    if (isDisturbed(thrown)) return { error: thrown.message, disturbed: true }
    return { error: thrown instanceof Error ? String(thrown.stack) : String(thrown) }
  }
}
