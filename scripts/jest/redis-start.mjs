import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onPath } from '../apt.mjs'
import { redisServer } from '../programs.mjs'

/**
 * jest's global set-up: a Redis server for each worker, on the socket
 * `${SLUICE_TEST_REDIS_DIR}/${JEST_WORKER_ID}.sock`.
 */
export default async function startRedis({ maxWorkers }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'redis-'))
  globalThis.sluiceRedis = { folder, servers: [] }
  process.env.SLUICE_TEST_REDIS_DIR = folder
  const program = redisServer()
  for (let worker = 1; worker <= maxWorkers; worker++) {
    globalThis.sluiceRedis.servers.push(await startServer(program, folder, worker))
  }
}

function startServer(program, folder, worker) {
  const options = ['--port', '0', '--unixsocket', path.join(folder, `${worker}.sock`), '--dir', folder]
  const command = [program, ...options, '--save', '', '--appendonly', 'no']
  // A killed jest never runs its tear-down: if possible, let the system end the server with it.
  if (onPath('setpriv')) command.unshift('setpriv', '--pdeathsig', 'KILL')
  const [first, ...rest] = command
  const server = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let said = ''
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${said}`)))
    server.stdout.on('data', (chunk) => {
      said += chunk
      if (!said.includes('eady to accept')) return
      server.removeAllListeners()
      // Neither the pipe nor the process may keep jest from ending.
      server.stdout.destroy()
      server.unref()
      resolve(server)
    })
  })
}
