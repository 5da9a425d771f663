import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type EnvoyClient, envoyClient } from './client.ts'

/** Whoever may do it gives the program a process namespace of its own, where it is the first one, as in a container. */
const apart =
  process.platform === 'linux' && process.getuid?.() === 0
    ? ['unshare', '--pid', '--fork', '--kill-child']
    : []

/** A running `sluice serve`, which was started as a container starts it. */
export class Container {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown[]>
  readonly client: EnvoyClient
  readonly url: string

  private constructor(child: ChildProcess, client: EnvoyClient, url: string) {
    this.#child = child
    this.#ended = once(child, 'close')
    this.client = client
    this.url = url
  }

  /** When it says where it listens. */
  static async start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Container> {
    const [file = '', ...args] = [...apart, ...argv]
    const child = spawn(file, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let client: EnvoyClient | undefined
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /gRPC +127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) client = envoyClient(Number(port))
      const [url] = /http:\/\/[^ :]+:\d+/.exec(line) ?? []
      if (client !== undefined && url !== undefined) return new Container(child, client, url)
    }
    throw new Error(`${argv.join(' ')} ended before it listened`)
  }

  /** What a kubelet sends to the first process, and nobody else. */
  terminate(): void {
    process.kill(this.#first(), 'SIGTERM')
  }

  #first(): number {
    const { pid = 0 } = this.#child
    if (apart.length === 0) return pid
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  }

  /** The exit code and the signal. */
  ended(): Promise<unknown[]> {
    return this.#ended
  }

  async kill(): Promise<void> {
    this.client.close()
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
