// Finds programs that the tests need, or installs them where that is allowed.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** By this process, which may install several packages. */
let isUpdated = false
const policy = '/usr/sbin/policy-rc.d'

/**
 * The path of a program: the one that `variable` names, one on the PATH or in one of `folders`, or one that apt installs; where
 * apt does not have it, the program `instead`. Throws a sentence that says what to install when there is none.
 */
export function program(name, { variable, debian = name, folders = () => [], instead }) {
  const named = process.env[variable]
  if (named) {
    if (isProgram(named)) return named
    throw new Error(`${variable} is ${named}, which is not a program.`)
  }
  const find = () => onPath(name) ?? programIn(folders(), name)
  const found = find()
  if (found) return found
  if (process.getuid?.() === 0 && onPath('apt-get')) install(debian)
  const installed = find()
  if (installed) return installed
  if (instead !== undefined) return program(instead, { variable })
  throw new Error(
    `The tests need ${name}: install it, or let the variable ${variable} name its program file.`,
  )
}

export function onPath(name) {
  return programIn((process.env.PATH ?? '').split(path.delimiter), name)
}

function programIn(folders, name) {
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

function install(debian) {
  console.error(`Installing ${debian} with apt-get …`)
  // Debian starts a service on its default port right after installing it, unless this file forbids it. It does
  // so only while this process lives, in case it is killed before it can remove the file.
  const ours = !existsSync(policy)
  if (ours)
    writeFileSync(policy, `#!/bin/sh\nkill -0 ${process.pid} 2>/dev/null && exit 101\nexit 0\n`, {
      mode: 0o755,
    })
  try {
    if (!isUpdated) aptGet('update')
    isUpdated = true
    aptGet('install', '--yes', '--no-install-recommends', debian)
    // Nor may it start at boot.
    if (onPath('systemctl')) spawnSync('systemctl', ['disable', '--now', debian], { stdio: 'ignore' })
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
