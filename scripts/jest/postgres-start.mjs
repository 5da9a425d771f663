import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { onPath } from '../apt.mjs'
import { postgres } from '../programs.mjs'

/** jest's global set-up: a PostgreSQL server for all workers, on a socket in the folder `SLUICE_TEST_POSTGRES_DIR`. */
export default async function startPostgres() {
  const program = postgres()
  const user = userOfServer()
  const folder = mkdtempSync(path.join(traversable(tmpdir()), 'postgres-'))
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o755)
  globalThis.sluicePostgres = { folder }
  process.env.SLUICE_TEST_POSTGRES_DIR = folder
  const data = path.join(folder, 'data')
  const initdb = path.join(path.dirname(program), 'initdb')
  const flags = ['--username=sluice', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(initdb, ['-D', data, ...flags], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // One role that needs its password.
  writeFileSync(path.join(data, 'pg_hba.conf'), 'local all locked scram-sha-256\nlocal all all trust\n')
  globalThis.sluicePostgres.server = await startServer(program, { folder, data, user })
}

/** The server refuses to run as root. */
function userOfServer() {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const ids = ['-u', '-g'].map((flag) => {
      try {
        return Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
      } catch {
        return Number.NaN
      }
    })
    if (ids.every(Number.isInteger)) return { uid: ids[0], gid: ids[1] }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.')
}

/** The other user must come through. */
function traversable(folder) {
  return statSync(folder).mode & 0o001 ? folder : '/tmp'
}

async function startServer(program, { folder, data, user }) {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'full_page_writes=off',
    'shared_buffers=32MB',
    'log_min_messages=panic',
    'log_min_error_statement=panic',
  ]
  const command = [program, '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  // A killed jest never comes to its tear-down: let the system end the server with it, where it can.
  if (onPath('setpriv')) command.unshift('setpriv', '--pdeathsig', 'KILL')
  const [first, ...rest] = command
  const server = spawn(first, rest, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  server.stderr.on('data', (chunk) => {
    said += chunk
  })
  while (!isReady(data)) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`postgres has ended:\n${said}`)
    await setTimeout(20)
  }
  // Neither the pipe nor the process may keep jest from ending.
  server.stderr.destroy()
  server.unref()
  return server
}

/** The last line of its file says so. */
function isReady(data) {
  const file = path.join(data, 'postmaster.pid')
  return existsSync(file) && /\nready\s*$/.test(readFileSync(file, 'utf8'))
}
