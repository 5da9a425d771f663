import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@sluice/faults/outage'
import { installedIn } from '@sluice/faults/packed'
import { root } from '../docs/pages.ts'

const run = promisify(execFile)

export interface Ended {
  readonly code: number
  readonly output: string
}

/** Whom the pages are for: an empty folder, in which only what they say is installed and written. */
export class Reader {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'task-'))
  readonly #servers: ChildProcess[] = []

  constructor(manifest: object) {
    this.write('package.json', JSON.stringify({ private: true, ...manifest }))
  }

  install(...names: readonly string[]): Promise<void> {
    return installedIn(this.folder, ...names)
  }

  write(file: string, text: string): void {
    const full = path.join(this.folder, file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text)
  }

  /** What the compiler says of all programs; without complaints, they are in `dist`. */
  async compile(options: object = {}): Promise<string> {
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      rootDir: '.',
      outDir: 'dist',
      ...options,
    }
    this.write('tsconfig.json', JSON.stringify({ compilerOptions }))
    return (await this.run([path.join(root, 'node_modules/typescript/bin/tsc')])).output
  }

  /** Runs a program of Node to its end. */
  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    // As if no jest was around it.
    const alone = { NODE_OPTIONS: '', JEST_WORKER_ID: undefined, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' }
    const options = { cwd: this.folder, env: { ...process.env, ...alone, ...env }, maxBuffer: 2 ** 26 }
    try {
      const { stdout, stderr } = await run(process.execPath, args, options)
      return { code: 0, output: stdout + stderr }
    } catch (error) {
      const { code = 1, stdout, stderr } = error as { code?: number; stdout: string; stderr: string } // of execFile
      return { code, output: stdout + stderr }
    }
  }

  /** Starts a program that prints a line once it listens. */
  async start(file: string): Promise<void> {
    const server = spawn(process.execPath, [file], { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#servers.push(server)
    const ended = once(server, 'exit').then(() =>
      Promise.reject(new Error(`${file} ended before it listened`)),
    )
    await Promise.race([once(server.stdout, 'data'), ended])
  }

  async leave(): Promise<void> {
    for (const server of this.#servers)
      if (server.exitCode === null && server.kill()) await once(server, 'exit')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Readers listen on 3000, where on the machine that tests something else may listen. */
export async function onFreePort(code: string): Promise<{ readonly port: number; readonly code: string }> {
  const port = await freePort()
  return { port, code: code.replace(/\b3000\b/g, String(port)) }
}
