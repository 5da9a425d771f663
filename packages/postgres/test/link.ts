import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { folder } from './server.ts'

const file = '.s.PGSQL.5432'

/** A server's socket in between, which may fall silent or hang up. */
export class Link {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'link-'))
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #silent = false
  /** What the server has sent while it is held. */
  #held: (() => void)[] | undefined

  constructor() {
    this.#server = createServer((client) => this.#join(client))
  }

  async listen(): Promise<void> {
    this.#server.listen(path.join(this.folder, file))
    await once(this.#server, 'listening')
  }

  #join(client: Socket): void {
    const server = connect(path.join(folder, file))
    for (const [from, to] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(from)
      from.on('data', (chunk) => {
        if (this.#silent) return
        if (this.#held !== undefined && from === server) this.#held.push(() => to.write(chunk))
        else to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        this.#sockets.delete(from)
        if (this.#held !== undefined && from === server) this.#held.push(() => to.end())
        else to.destroy()
      })
    }
  }

  /** What is sent from now on is lost, in both directions, and nobody hears of it. */
  fallSilent(): void {
    this.#silent = true
  }

  speak(): void {
    this.#silent = false
  }

  /** What the server sends from now on comes all at once, when `pass` is called. */
  hold(): void {
    this.#held = []
  }

  pass(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const write of held) write()
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.hangUp()
    this.#server.close()
    await once(this.#server, 'close')
    rmSync(this.folder, { recursive: true, force: true })
  }
}
