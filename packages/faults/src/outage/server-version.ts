import { spawnSync } from 'node:child_process'

/** A program that speaks Redis' protocol, as `--version` names it: "Redis server v=7.0.15 … malloc=jemalloc-5.3.0 …". */
export interface ServerVersion {
  readonly name: string
  readonly major: number
  readonly minor: number
  readonly allocator: string
}

/** The version of the program that tests start as a Redis server. */
export function serverVersion(
  program: string = process.env.SLUICE_REDIS_SERVER ?? 'redis-server',
): ServerVersion {
  const said = String(spawnSync(program, ['--version']).stdout)
  const [, name = '', major, minor, allocator = ''] =
    /^(\w+) server v=(\d+)\.(\d+).* malloc=(\S+)/i.exec(said) ?? []
  if (name === '') throw new Error(`${program} --version names no version: ${JSON.stringify(said)}`)
  return { name, major: Number(major), minor: Number(minor), allocator }
}
