import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { installedIn } from '@sluice/faults/packed'
import { build } from 'esbuild'
import { builtWith } from './binaries.ts'
import { installsOf, programsOf, settingsOf } from './page-programs.ts'

const run = promisify(execFile)

export interface WorkersOfPage {
  /** The module that a tool makes of a program; it fails where one asks for a module of Node. */
  bundled(tool: 'wrangler' | 'esbuild', program: string): Promise<string>
  remove(): void
}

/** The programs of docs/workers.md, beside the packages that it installs. */
export async function workersOfPage(): Promise<WorkersOfPage> {
  // Far from all that is installed here: what is found there is what the page installs.
  const folder = mkdtempSync(path.join(tmpdir(), 'workers-'))
  mkdirSync(path.join(folder, 'src'))
  for (const [file, code] of Object.entries(programsOf('workers.md')))
    writeFileSync(path.join(folder, file), code)
  for (const settings of settingsOf('workers.md')) {
    const { main } = JSON.parse(settings) as { main: string } // as the page has it
    writeFileSync(path.join(folder, `${main}.json`), settings)
  }
  await installedIn(folder, ...installsOf('workers.md'))
  return {
    bundled: (tool, program) =>
      tool === 'esbuild' ? byEsbuild(folder, program) : byWrangler(folder, program),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function byEsbuild(folder: string, program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(folder, program)],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** It builds and uploads nothing. */
async function byWrangler(folder: string, program: string): Promise<string> {
  const out = path.join(folder, 'out', program)
  const config = path.join(folder, `${program}.json`)
  // Beside the configuration file wrangler looks for the program: it stands at the root.
  const atRoot = path.join(folder, `${path.basename(program)}.wrangler.json`)
  writeFileSync(atRoot, readFileSync(config))
  const args = ['deploy', '--dry-run', '--outdir', out, '--config', atRoot]
  const env = {
    ...process.env,
    CI: '1',
    NO_COLOR: '1',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG_PATH: out,
  }
  const { stdout, stderr } = await run(builtWith('wrangler'), args, { cwd: folder, env })
  if (/node:|nodejs_compat/.test(stdout + stderr)) throw new Error(`${stdout}\n${stderr}`)
  return readFileSync(path.join(out, `${path.basename(program, '.ts')}.js`), 'utf8')
}
