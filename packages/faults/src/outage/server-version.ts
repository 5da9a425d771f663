import { spawnSync } from 'node:child_process'

/** A program that speaks Redis' protocol, as `--version` names it: "Redis server v=7.0.15 …". */
export interface ServerVersion {
  readonly name: string
  readonly major: number
  readonly minor: number
}

/** The version of the program that tests start as a Redis server. */
export function serverVersion(
  program: string = process.env.SLUICE_REDIS_SERVER ?? 'redis-server',
): ServerVersion {
  const said = String(spawnSync(program, ['--version']).stdout)
  const [, name = '', major, minor] = /^(\w+) server v=(\d+)\.(\d+)/i.exec(said) ?? []
  if (name === '') throw new Error(`${program} --version names no version: ${JSON.stringify(said)}`)
  return { name, major: Number(major), minor: Number(minor) }
}
