import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { bundled } from '@sluice/faults/bundle'
import { until } from '@sluice/faults/outage'
import type { EndpointState } from '../../src/endpoint/index.ts'
import { type Ended, program } from '../sluice.ts'

const root = path.resolve(__dirname, '../../../..')
/** Whatever is set where the tests run. */
const unset = { FRAMEWORK: '', PORT: '', REDIS_URL: '', LIMITS: '', INIT_CWD: '' }
const running = new Set<Running>()

/** For `afterAll`: whatever a test file has started ends with it. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.kill()))
}

/** A program that a test has started, and what it has printed so far. */
export class Running {
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess

  constructor(command: string, args: readonly string[]) {
    const env = { ...process.env, ...unset }
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => {
      this.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.#child = child
    this.ended = once(child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }))
    running.add(this)
  }

  /** Resolves when it has printed that, on whichever stream. */
  async prints(pattern: RegExp): Promise<string> {
    const found = () => pattern.exec(this.stdout + this.stderr)?.[0]
    await until(async () => found() !== undefined, { what: `output like ${pattern}` })
    return found() ?? ''
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.ended
  }
}

const zooProgram = bundled(path.join(root, 'examples/zoo/src/main.ts'))

export async function startCrowd(...args: readonly string[]): Promise<Running> {
  return new Running(process.execPath, [await program(), 'crowd', ...args])
}

/** The zoo of the examples, on a free port. */
export async function startZoo(...flags: readonly string[]): Promise<{ program: Running; url: string }> {
  const zoo = new Running(process.execPath, [await zooProgram(), '--port', '0', ...flags])
  return { program: zoo, url: await zoo.prints(/http:\/\/127\.0\.0\.1:\d+/) }
}

/** Asks the endpoint of a zoo until its run is under way. */
export async function busy(url: string): Promise<void> {
  await until(async () => ((await endpointAt(url)).open?.admitted ?? 0) > 0, { what: 'a run' })
}

export async function endpointAt(url: string): Promise<EndpointState> {
  const answer = await fetch(new URL('crowd', url))
  return (await answer.json()) as EndpointState // the endpoint's protocol
}
