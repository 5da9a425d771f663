import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const source = path.join(import.meta.dirname, 'stepped-clock.c')
const preload = pathToFileURL(path.join(import.meta.dirname, 'stepped-date.mjs'))

/** Why no Redis server's clock can be stepped here; undefined where it can. */
export function whyNoSteppedServer(): string | undefined {
  if (process.platform !== 'linux') return 'only on Linux can a library be put before a server'
  return spawnSync('cc', ['--version']).status === 0 ? undefined : 'there is no C compiler (cc)'
}

/** A wall clock that can be stepped while the programs run that were started with its environment. */
export class SteppedClock {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'clock-'))
  readonly #file = path.join(this.#folder, 'seconds')

  constructor() {
    writeFileSync(this.#file, Buffer.alloc(8))
  }

  /** The environment of a Node program, whose `Date` is then this clock. */
  get forNode(): NodeJS.ProcessEnv {
    return { SLUICE_CLOCK_FILE: this.#file, NODE_OPTIONS: `--import=${preload}` }
  }

  /** The environment of a Redis server, which then knows no other time of day. Needs a C compiler. */
  forServer(): NodeJS.ProcessEnv {
    const library = path.join(this.#folder, 'clock.so')
    const { status, stderr } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source])
    if (status !== 0) throw new Error(`cc: ${stderr}`)
    return { SLUICE_CLOCK_FILE: this.#file, LD_PRELOAD: library }
  }

  /** Sets how far the clock is ahead of the true time, or behind it, from now on. */
  step(aheadSeconds: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(aheadSeconds))
    // Written over the old content, as a server has the file mapped into its memory.
    writeFileSync(this.#file, bytes, { flag: 'r+' })
  }

  end(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
