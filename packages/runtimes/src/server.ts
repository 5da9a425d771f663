import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { builtWith, bunProgram, denoProgram } from './binaries.ts'
import { startsOf } from './starts.ts'
import { serveWorker } from './worker.ts'

const run = promisify(execFile)

/** A server process of a runtime. */
export interface RuntimeServer {
  readonly port: number
  stop(): Promise<void>
}

/** What is started, and how it says where it listens. */
interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

const source = __dirname

/** A program's text, or the name of one beside this file. */
export type Source = { readonly text: string } | { readonly name: string }

/** A program with all that it imports, as one ES module that asks for nothing of Node. */
async function bundle(program: Source, folder: string, as = 'program'): Promise<string> {
  const outfile = path.join(folder, `${as}.mjs`)
  await build({
    ...('text' in program
      ? { stdin: { contents: program.text, loader: 'ts', resolveDir: source } }
      : { entryPoints: [path.join(source, 'programs', `${program.name}.ts`)] }),
    outfile,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    conditions: ['sluice-source'],
    logLevel: 'silent',
  })
  return outfile
}

/** Of each runtime's own message, and of the programs here: captures the port. */
const listening = /listening on .*?:?(\d+)\/?\s|server: .*?:(\d+)/i

/** Starts a program, and waits until it listens. */
export async function started({ file, args, cwd, env }: Program): Promise<RuntimeServer> {
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let printed = ''
  const port = await new Promise<number>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      printed += chunk
      const found = listening.exec(printed)
      if (found !== null) resolve(Number(found[1] ?? found[2]))
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('error', reject)
    void gone.then(() => reject(new Error(`ended before it listened:\n${printed}`)))
  })
  return { port, stop: () => stopped(child, gone) }
}

function stopped(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.kill('SIGKILL')
  return gone
}

/** The folder is removed with the server. */
async function inFolder(start: (folder: string) => Promise<RuntimeServer>): Promise<RuntimeServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'runtime-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const { port, stop } = await start(folder)
    return {
      port,
      stop: async () => {
        await stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Without a program: the zoo. */
export function startBun(program: Source = { name: 'bun' }): Promise<RuntimeServer> {
  return inFolder(async (cwd) => {
    const args = [await bundle(program, cwd)]
    return started({ file: bunProgram(), args, cwd })
  })
}

export function startDeno(program: Source = { name: 'deno' }): Promise<RuntimeServer> {
  return inFolder(async (cwd) => {
    const how =
      'text' in program ? ['serve', '--port', '0', '--host', '127.0.0.1'] : ['run', '--allow-net=127.0.0.1']
    const args = [...how, '--no-prompt', '--no-config', '--cached-only', await bundle(program, cwd)]
    const env = { DENO_DIR: cwd, DENO_NO_UPDATE_CHECK: '1' }
    return started({ file: denoProgram(), args, cwd, env })
  })
}

export function startWorkerd(program: Source = { name: 'workerd' }): Promise<RuntimeServer> {
  return inFolder(async (folder) => {
    const { url, close } = await serveWorker(readFileSync(await bundle(program, folder), 'utf8'))
    return { port: Number(new URL(url).port), stop: close }
  })
}

/** An application of SvelteKit, built with adapter-node; under `/start` it has the start of the docs. */
export function startSvelteKit(): Promise<RuntimeServer> {
  const folder = path.join(source, '../apps/sveltekit/src/.tmp')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'start.ts'), startsOf('SvelteKit')[0])
  return startBuilt('sveltekit', ['vite', ['build']])
}

/**
 * An application of Next.js, which takes its limits as modules that are bundled already; its proxy and `/start` are those of the docs.
 * In `next-edge` all of them are on Edge.
 */
export async function startNext(app: 'next' | 'next-edge' = 'next'): Promise<RuntimeServer> {
  const folder = path.join(source, '../apps', app, '.tmp')
  const [route, proxy = ''] = startsOf('Next.js')
  await bundle({ name: 'next-zoo' }, folder, 'zoo')
  await bundle({ text: route }, folder, 'route')
  await bundle({ text: proxy }, folder, 'proxy')
  return startBuilt(app, ['next', ['build']])
}

/** Runs a program of a Node to its end; a failure has what it has printed. */
export async function runIn({ file, args, cwd, env }: Program): Promise<void> {
  await run(file, args, { cwd, env: { ...process.env, ...env } }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`)
  })
}

/** Builds an application of `apps`; its folder. */
export async function buildApp(
  app: string,
  [tool, flags]: readonly [string, readonly string[]],
): Promise<string> {
  const cwd = path.join(source, '../apps', app)
  await run(builtWith(tool), flags, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  })
  return cwd
}

/** Builds an application of `apps`, and serves what was built. */
async function startBuilt(app: string, how: Parameters<typeof buildApp>[1]): Promise<RuntimeServer> {
  const cwd = await buildApp(app, how)
  return started({
    file: process.execPath,
    args: ['serve.mjs'],
    cwd,
    env: { NODE_ENV: 'production' },
  })
}
