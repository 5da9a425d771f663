import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { bundled } from '@sluice/faults/bundle'

const root = path.resolve(__dirname, '../../..')

const programs = new Set<Program>()

/** For `afterAll`: whatever a test file has started ends with it. */
export async function killPrograms(): Promise<void> {
  for (const program of programs) await program.kill()
  programs.clear()
}

/** A program that a test has started, and what it has printed so far. */
export class Program {
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  readonly #ended: Promise<number | NodeJS.Signals | null>

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (chunk) => {
      this.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.#child = child
    programs.add(this)
    this.#ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode)
  }

  /** Resolves when it has printed that, on whichever stream. */
  async prints(pattern: RegExp): Promise<string> {
    return until(`output like ${pattern}`, () => {
      const [found] = pattern.exec(this.stdout + this.stderr) ?? []
      const { exitCode } = this.#child
      if (found === undefined && exitCode !== null)
        throw new Error(`ended with ${exitCode}:\n${this.stdout}${this.stderr}`)
      return found
    })
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** The exit code, or the signal that has ended it. */
  ended(): Promise<number | NodeJS.Signals | null> {
    return this.#ended
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

/** Empty: whatever is set where the tests run. */
const unset = { FRAMEWORK: '', PORT: '', REDIS_URL: '', LIMITS: '', INIT_CWD: '' }

const zooProgram = bundled(path.join(root, 'examples/zoo/src/main.ts'))

export async function runZoo(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Program> {
  return new Program(process.execPath, [await zooProgram(), ...args], { ...unset, ...env })
}

/** One of the smaller examples, as `npm start` runs it there: from its sources. */
export function example(file: string, env: NodeJS.ProcessEnv): Program {
  const source = ['--conditions=sluice-source', '--import', 'tsx', path.join('examples', file)]
  return new Program(process.execPath, source, { ...unset, ...env })
}

/** The same for tests that start it many times. */
export function bundledExample(file: string): (env: NodeJS.ProcessEnv) => Promise<Program> {
  const program = bundled(path.join(root, 'examples', file))
  return async (env) => new Program(process.execPath, [await program()], { ...unset, ...env })
}

const sluiceProgram = bundled(path.join(root, 'packages/cli/src/main.ts'))

/** The command. */
export async function sluice(...args: readonly string[]): Promise<Program> {
  return new Program(process.execPath, [await sluiceProgram(), ...args])
}

/** Asks again and again until there is an answer, or the test would end anyway. */
export async function until<T>(what: string, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const giveUp = performance.now() + 150_000
  while (performance.now() < giveUp) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    await setTimeout(20)
  }
  throw new Error(`no ${what} within 150 s`)
}
