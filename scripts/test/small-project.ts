import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const scripts: string = path.join(__dirname, '..')

/** What a program has printed, stdout and stderr together for each, and its exit code. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** What `runJest` answers. */
export interface Counted {
  readonly passed: number
  readonly failed: number
  readonly notPassed: readonly string[]
}

export function ended(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1e8 }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** A folder with tests of its own in two projects, `one` and `two`, on which the real runner is tried. */
export class SmallProject {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'small-'))

  constructor(tests: { readonly [file: string]: string }, base = '') {
    const reporter = path.join(scripts, 'closing-line.cjs')
    const config = `const base = { rootDir: ${JSON.stringify(this.folder)}, transform: {}, ${base} }
const project = (name) => ({ ...base, displayName: name, testMatch: [\`<rootDir>/\${name}/*.test.js\`] })
module.exports = { reporters: [${JSON.stringify(reporter)}], projects: ['one', 'two'].map(project) }
`
    this.write('jest.config.cjs', config)
    for (const [file, text] of Object.entries(tests)) this.write(file, text)
  }

  write(file: string, text: string): void {
    const full = path.join(this.folder, file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text)
  }

  /** Runs its tests as `npm test` does: what that has counted, and said. It is ended when the file `end-now` is there. */
  async run(flags: readonly string[], options: object = {}): Promise<Counted & { readonly said: string }> {
    const program = `
      import { runJest } from ${JSON.stringify(path.join(scripts, 'jest-run.mjs'))}
      import { existsSync } from 'node:fs'
      const { folder, flags, options } = JSON.parse(process.argv[1])
      const end = new AbortController()
      const looking = setInterval(() => existsSync(folder + '/end-now') && end.abort('was ended'), 20)
      const counts = await runJest(flags, { folder, cwd: folder, signal: end.signal, ...options })
      clearInterval(looking)
      process.stderr.write('\\n' + JSON.stringify(counts))`
    const settings = JSON.stringify({ folder: this.folder, flags, options })
    const { stdout, stderr } = await this.#run(
      process.execPath,
      '--input-type=module',
      '--eval',
      program,
      settings,
    )
    return { ...JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))), said: stdout }
  }

  /** Runs its tests by hand. */
  async runByHand(...flags: readonly string[]): Promise<Ended> {
    return this.#run(path.join(scripts, '../node_modules/.bin/jest'), ...flags)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #run(command: string, ...args: readonly string[]): Promise<Ended> {
    // As if no jest was around this one.
    const env = { SLUICE_TEST_COUNTS: undefined, JEST_WORKER_ID: undefined, NODE_OPTIONS: '' }
    return ended(command, args, { cwd: this.folder, env })
  }
}
