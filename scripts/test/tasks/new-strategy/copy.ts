import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Ended, ended, scripts } from '../../small-project.ts'

const root = path.dirname(scripts)
const leftOut = /(^|\/)(\.git|\.tmp|dist)$|^node_modules$/

/** Links between our packages are relative, so they lead to the copies. */
const links = { recursive: true, verbatimSymlinks: true }

/** This repository in a temporary folder, with the same packages installed. */
export class Copy {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'copy-'))
  /** Files that are not as they were. */
  readonly touched: Set<string> = new Set()

  constructor() {
    cpSync(root, this.folder, {
      ...links,
      filter: (file) => !leftOut.test(path.relative(root, file)),
    })
    this.#linkModules()
  }

  /** The installed packages, but ours as they are in the copy. */
  #linkModules(): void {
    const [from, to] = [root, this.folder].map((each) => path.join(each, 'node_modules'))
    if (from === undefined || to === undefined) return
    mkdirSync(to)
    for (const name of readdirSync(from)) {
      if (name === '@sluice') cpSync(path.join(from, name), path.join(to, name), links)
      else symlinkSync(path.join(from, name), path.join(to, name))
    }
  }

  /** Writes a file made of another by changes, each of which finds something to change. */
  derive(
    file: string,
    from: string,
    changes: readonly (readonly [from: string | RegExp, to: string])[],
  ): void {
    let text = readFileSync(path.join(this.folder, from), 'utf8')
    for (const [pattern, to] of changes) {
      const changed = text.replaceAll(pattern, to)
      if (changed === text) throw new Error(`${from} has no ${pattern}`)
      text = changed
    }
    this.write(file, text)
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), 'utf8')
  }

  write(file: string, text: string): void {
    const place = path.join(this.folder, file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, text)
    this.touched.add(file)
  }

  /** As an installation does for a package that asks for another of ours. */
  link(pkg: string, needed: string): void {
    const scope = path.join(this.folder, 'packages', pkg, 'node_modules/@sluice')
    mkdirSync(scope, { recursive: true })
    symlinkSync(`../../../${needed}`, path.join(scope, needed))
  }

  node(...args: readonly string[]): Promise<Ended> {
    // As if no jest was around this one.
    const env = {
      SLUICE_TEST_COUNTS: undefined,
      SLUICE_TEST_TIMES: undefined,
      JEST_WORKER_ID: undefined,
      NODE_OPTIONS: '',
      SLUICE_WRITE_OPTIONS: '1',
      // Whether its halves agree at all: it is a strategy that there is.
      SLUICE_TEST_RUNS: '0.05',
    }
    return ended(process.execPath, args, { cwd: this.folder, env })
  }

  jest(...args: readonly string[]): Promise<Ended> {
    return this.node('node_modules/jest/bin/jest.js', ...args)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
