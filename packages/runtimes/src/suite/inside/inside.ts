import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bunProgram, denoProgram } from '../../binaries.ts'
import type { Result } from './runner.ts'

const run = promisify(execFile)

interface Runtime {
  program(): string
  readonly args: readonly string[]
}

const runtimes: Readonly<Record<'bun' | 'deno', Runtime>> = {
  bun: { program: bunProgram, args: [] },
  deno: {
    program: denoProgram,
    args: ['run', '--allow-all', '--v8-flags=--expose-gc', '--no-prompt', '--no-config', '--cached-only'],
  },
}

/** Packages that are no ES modules ask for `require`. */
const withRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

async function bundle(name: string, folder: string): Promise<string> {
  const outfile = path.join(folder, 'program.mjs')
  await build({
    entryPoints: [path.join(__dirname, '../../programs', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    conditions: ['sluice-source'],
    // Of packages that are no ES modules.
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    alias: { '@jest/globals': path.join(__dirname, 'runner.ts') },
    banner: { js: withRequire },
    logLevel: 'silent',
  })
  return outfile
}

/** Runs the suite for adapters inside a runtime: what became of each scenario. */
export async function runInside(
  runtime: 'bun' | 'deno',
  skips: readonly object[],
): Promise<readonly Result[]> {
  const { program, args } = runtimes[runtime]
  const folder = mkdtempSync(path.join(tmpdir(), 'inside-'))
  try {
    const file = await bundle(`conformance-${runtime}`, folder)
    const { stdout } = await run(program(), [...args, file, JSON.stringify(skips)], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' },
      maxBuffer: 2 ** 26,
      timeout: 200_000,
    })
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as Result) // the program prints nothing else
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
