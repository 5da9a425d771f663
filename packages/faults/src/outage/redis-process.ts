import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

const program = process.env.SLUICE_REDIS_SERVER ?? 'redis-server'

/** Whether the socket, or the server, gets the port that it asks for. */
async function gets(asking: Socket | Server, ask: () => unknown): Promise<boolean> {
  const listening = once(asking, 'listening').then(
    () => true,
    () => false,
  )
  ask()
  return listening
}

/** Whether nobody listens on the port. A socket of UDP, which takes no port from a server, keeps it for this process until that ends. */
async function isFree(port: number): Promise<boolean> {
  const kept = createSocket('udp4').unref()
  const isKept = await gets(kept, () => kept.bind({ port, address: '127.0.0.1', exclusive: true }))
  const server = createServer()
  if (!isKept || !(await gets(server, () => server.listen(port, '127.0.0.1')))) return false
  server.close()
  await once(server, 'close')
  return true
}

/** All ports lie below those that systems give to outgoing connections, which begin at any moment. */
const firstPort = 11_000
const portsOfCluster = 10_000

/** A port of this machine that nobody listens on now, and that no other call of this function gets while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(2 * portsOfCluster)
    if (await isFree(port)) return port
  }
}

/** A free port for a server of a cluster, whose servers speak to each other ten thousand ports higher. */
async function freePortOfCluster(): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(portsOfCluster)
    if ((await isFree(port)) && (await isFree(port + portsOfCluster))) return port
  }
}

/** How a server is started. */
interface Started {
  /** Variables of its environment in addition to those of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined
}

/**
 * A separate Redis server on its own port, which can be stopped, killed and started again. Loses its data
 * when it ends, unless it is configured to save.
 */
export class RedisProcess {
  readonly port: number
  readonly #options: readonly string[]
  readonly #environment: NodeJS.ProcessEnv
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'redis-'))
  /** A file goes before the options. */
  #mode: readonly string[] = []
  #server: ChildProcess | undefined

  private constructor(port: number, options: readonly string[], about: Started = {}) {
    this.port = port
    this.#options = options
    this.#environment = about.environment ?? {}
  }

  /** Makes a server that is not running yet, on a free port. With a certificate among its options it speaks TLS there. */
  static async prepare(options: readonly string[] = [], about: Started = {}): Promise<RedisProcess> {
    return new RedisProcess(await freePort(), options, about)
  }

  /** Makes a Sentinel that decides alone when a master is dead. It knows the master as `mymaster`. */
  static async prepareSentinel(master: RedisProcess, options: readonly string[] = []): Promise<RedisProcess> {
    const sentinel = await RedisProcess.prepare(options)
    const file = path.join(sentinel.#folder, 'sentinel.conf')
    const lines = [
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 1000',
    ]
    writeFileSync(file, lines.join('\n'))
    sentinel.#mode = [file, '--sentinel']
    return sentinel
  }

  /** Makes a server that can join a cluster, with further options. */
  static async prepareForCluster(options: readonly string[] = []): Promise<RedisProcess> {
    const all = ['--cluster-enabled', 'yes', ...options]
    return new RedisProcess(await freePortOfCluster(), all)
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts the server; resolves when it answers. `more`: options of this run alone. */
  async start(more: readonly string[] = []): Promise<void> {
    const port = this.#options.includes('--tls-cert-file') ? ['--port', '0', '--tls-port'] : ['--port']
    const options = [...port, String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder]
    const command = [
      program,
      ...this.#mode,
      ...options,
      '--save',
      '',
      '--appendonly',
      'no',
      ...this.#options,
      ...more,
    ]
    // The server must not outlive a killed test.
    if (spawnSync('setpriv', ['--version']).status === 0) command.unshift('setpriv', '--pdeathsig', 'KILL')
    const [first = program, ...rest] = command
    const server = spawn(first, rest, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...this.#environment },
    })
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      let said = ''
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`redis-server ended:\n${said}`)))
      server.stdout.on('data', (chunk) => {
        said += chunk
        if (/eady to accept|\+monitor master/.test(said)) resolve()
      })
    })
  }

  /** Makes the server hang: connections stay, nothing is answered. */
  hang(): void {
    this.#server?.kill('SIGSTOP')
  }

  goOn(): void {
    this.#server?.kill('SIGCONT')
  }

  /** Kills the server at once, with all its data. */
  async kill(): Promise<void> {
    const server = this.#server
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
