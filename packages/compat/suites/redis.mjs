import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { redisServer } from '../../../scripts/programs.mjs'

/** A port of this machine that nobody listens on now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** A server there, with its files in this folder. */
export function startRedis(port, folder) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const server = spawn(redisServer(), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    server.stdout.on('data', (chunk) => String(chunk).includes('eady to accept') && resolve(server))
  })
}
