// Finds a redis-server for the tests, or installs one where that is allowed.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const policy = '/usr/sbin/policy-rc.d'

/** The path of a redis-server. Throws a sentence that says what to install when there is none. */
export function redisServer() {
  const named = process.env.SLUICE_REDIS_SERVER
  if (named) {
    if (isProgram(named)) return named
    throw new Error(`SLUICE_REDIS_SERVER is ${named}, which is not a program.`)
  }
  const found = onPath('redis-server')
  if (found) return found
  if (process.getuid?.() === 0 && onPath('apt-get')) installByApt()
  const installed = onPath('redis-server')
  if (installed) return installed
  throw new Error(
    'The tests need redis-server: install it, or let the variable SLUICE_REDIS_SERVER name its program file.',
  )
}

export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, name)).find(isProgram)
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function installByApt() {
  console.error('Installing redis-server with apt-get …')
  // Debian starts a service on the default port right after installing it, unless this file says no. It says
  // so only while this process lives, should it be killed before it can take the file away.
  const ours = !existsSync(policy)
  if (ours)
    writeFileSync(policy, `#!/bin/sh\nkill -0 ${process.pid} 2>/dev/null && exit 101\nexit 0\n`, {
      mode: 0o755,
    })
  try {
    aptGet('update')
    aptGet('install', '--yes', '--no-install-recommends', 'redis-server')
    // Nor may it start with the machine.
    if (onPath('systemctl')) spawnSync('systemctl', ['disable', '--now', 'redis-server'], { stdio: 'ignore' })
  } finally {
    if (ours) rmSync(policy, { force: true })
  }
}

function aptGet(...args) {
  spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
