import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { workerdProgram } from './binaries.ts'

export interface WorkerOptions {
  /** What the worker finds in its `env`. @default nothing */
  readonly env?: Readonly<Record<string, string>>
  /** Such as `nodejs_compat`. @default none: the web's own means alone */
  readonly flags?: readonly string[]
  /** Durable Objects on SQLite: the class of each binding. @default none */
  readonly objects?: Readonly<Record<string, string>>
}

export interface RunningWorker {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** What it has printed so far, errors among it. */
  readonly output: () => string
  close(): Promise<void>
}

const text = (value: string) => JSON.stringify(value)

/** As workerd reads it. The worker may reach this machine alone. */
function configOf(folder: string, { env = {}, flags = [], objects = {} }: WorkerOptions): string {
  const texts = Object.entries(env).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
  const namespaces = Object.entries(objects).map(
    ([name, value]) => `(name = ${text(name)}, durableObjectNamespace = ${text(value)})`,
  )
  const bindings = [...texts, ...namespaces]
  const classes = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["local"])),
    (name = "objects", disk = (path = ${text(folder)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = [${flags.map(text).join(', ')}],
  bindings = [${bindings.join(', ')}],
  durableObjectNamespaces = [${classes.join(', ')}],
  durableObjectStorage = (localDisk = "objects"),
);
`
}

/** The port that workerd tells once it listens; it fails with what workerd has printed. */
async function portOf(child: ChildProcess, output: () => string): Promise<number> {
  const control = child.stdio[3] as Readable // a pipe, as asked for
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event?: string; port?: number } // workerd's own
    if (event === 'listen' && port !== undefined) return port
  }
  throw new Error(`workerd did not start: ${output()}`)
}

/** Serves a bundled module by workerd on a free port of this machine. */
export async function serveWorker(module: string, options: WorkerOptions = {}): Promise<RunningWorker> {
  const folder = mkdtempSync(path.join(tmpdir(), 'worker-'))
  writeFileSync(path.join(folder, 'worker.mjs'), module)
  writeFileSync(path.join(folder, 'config.capnp'), configOf(folder, options))
  const child = spawn(workerdProgram(), ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  const output = () => printed
  const print = (chunk: unknown) => {
    printed += String(chunk)
  }
  child.stdout?.on('data', print)
  child.stderr?.on('data', print)
  const exited = once(child, 'exit')
  const close = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { url: `http://127.0.0.1:${await portOf(child, output)}`, output, close }
  } catch (error) {
    await close()
    throw error
  }
}
