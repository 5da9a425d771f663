import { existsSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'

const modules = path.join(import.meta.dirname, '../apps/node_modules')

/** What the trials of other runtimes have installed there. Throws a sentence where they have not. */
function installed(file: string): string {
  const full = path.join(modules, file)
  if (existsSync(full)) return full
  throw new Error(`${file} is not installed: run npm run test:trials runtimes, which begins with it`)
}

/** A command of one of those packages. */
export function builtWith(command: string): string {
  return installed(`.bin/${command}`)
}

/**
 * A program that npm ships in one package for each platform, of which the one for this machine is installed beside the package that
 * asks for them. It is found there, because pnpm runs no script that would link it.
 */
function programOf(name: string, file: string): string {
  const asking = realpathSync(installed(name))
  const { optionalDependencies = {} } = JSON.parse(
    readFileSync(path.join(asking, 'package.json'), 'utf8'),
  ) as { optionalDependencies?: Record<string, string> } // npm has published it
  const programs = Object.keys(optionalDependencies).map((each) => path.join(asking, '..', each, file))
  const program = programs.find((each) => existsSync(each))
  if (program !== undefined) return program
  throw new Error(`${name} has no program for ${process.platform} ${process.arch}`)
}

/** The path of another Node than the one that runs the tests; it is installed on Linux alone. */
export function nodeProgram(major: 22 | 24): string {
  return installed(`node-${process.platform}-${process.arch}-${major}/bin/node`)
}

/** The path of Bun. */
export function bunProgram(): string {
  return programOf('bun', 'bin/bun')
}

/** The path of Deno. */
export function denoProgram(): string {
  return programOf('deno', 'deno')
}

/** The path of workerd, in which workers of Cloudflare run. */
export function workerdProgram(): string {
  return programOf('workerd', 'bin/workerd')
}
