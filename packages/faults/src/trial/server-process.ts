import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Health } from '@sluice/core'
import { bundled } from '../bundle.ts'
import { root } from './running.ts'
import type { Report } from './servers/serving.ts'
import type { Framework, ServerSettings } from './settings.ts'

/** How soon a process must end after it has closed everything. */
const longestEndMs = 1000

/** What was wrong with the end of a process. */
export interface End {
  readonly what: string
  /** Whether it had not ended in time; otherwise it ended as it should not. */
  readonly late: boolean
}

/** One process that serves. */
export class ServerProcess {
  readonly framework: Framework
  readonly port: number
  readonly pid: number
  readonly #process: ChildProcess
  readonly #printed: readonly string[]

  private constructor(framework: Framework, { process, printed, port }: Started) {
    this.framework = framework
    this.port = port
    this.pid = process.pid ?? 0
    this.#process = process
    this.#printed = printed
  }

  /** Starts a process; resolves when it listens. */
  static async start(settings: ServerSettings, environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
    return new ServerProcess(settings.framework, await start(settings, environment))
  }

  /** What its health endpoint would answer; undefined if the process has ended. */
  async health(): Promise<Health | undefined> {
    if (!this.#process.connected) return undefined
    const answer = once(this.#process, 'message')
    this.#process.send('health')
    const [{ health }] = (await answer) as [{ health: Health }] // it has sent its port already
    return health
  }

  /** Asks the process to end. Resolves to what was wrong with its end, or before; undefined if it ended as it should. */
  async end(): Promise<End | undefined> {
    const child = this.#process
    if (child.exitCode !== null || child.signalCode !== null) {
      return { what: this.#says('ended before it was asked to'), late: false }
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), longestEndMs)
    child.kill('SIGTERM')
    const [code, signal] = await once(child, 'exit')
    clearTimeout(timer)
    if (signal === 'SIGKILL') {
      return { what: this.#says(`had not ended ${longestEndMs} ms after it was asked to`), late: true }
    }
    return code === 0 ? undefined : { what: this.#says(`ended with ${code ?? signal}`), late: false }
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #says(what: string): string {
    return `a server ${what}: ${this.#printed.join('').trim() || 'it has printed nothing'}`
  }
}

interface Started {
  readonly process: ChildProcess
  readonly printed: readonly string[]
  readonly port: number
}

const programOf = (framework: Framework) =>
  bundled(path.join(import.meta.dirname, 'servers', `${framework}.ts`))

const programs: { readonly [name in Framework]: () => Promise<string> } = {
  express: programOf('express'),
  fastify: programOf('fastify'),
  koa: programOf('koa'),
}

async function start(settings: ServerSettings, environment: NodeJS.ProcessEnv): Promise<Started> {
  const child = fork(await programs[settings.framework](), [JSON.stringify(settings)], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const printed: string[] = []
  child.stderr?.on('data', (chunk) => printed.push(String(chunk)))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`a server did not start: ${printed.join('')}`)))
    child.once('message', (message: Report) => resolve('port' in message ? message.port : 0))
  })
  return { process: child, printed, port }
}
