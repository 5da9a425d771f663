import { chmodSync, linkSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from './errors.ts'
import { openFolder } from './folder.ts'

/** What a process gets: the counts are its own, or at the other end of the socket. */
export type Seat = { readonly server: Server; readonly at: HeldPlace } | { readonly socket: Socket }

/** The place of the process that holds the counts. */
export interface HeldPlace {
  /** Whether the place is still there. If it was removed, another process may hold another place. */
  holds(): boolean
  leave(): void
}

/** The name of a socket that listens and has no number yet. */
const unlinkedName = /^\.[0-9a-z]+-[0-9a-z]+$/
const socketName = /^([1-9]\d{0,14})\.sock$/

/**
 * The process that listens on the socket with the highest number in the folder holds the counts; at most one process does. The socket of
 * a dead process refuses connections, for ever. Then each of the others tries to link its own socket under the next number, and only one
 * succeeds. It looks at the folder once more: if all other sockets are known to be dead, it holds the counts, else it removes its link.
 * So every process that looks later finds it, and none removes a live socket.
 */
export async function takeSeat(folder: string): Promise<Seat> {
  for (;;) {
    openFolder(folder)
    const seat = await lookForSeat(folder)
    if (seat !== undefined) return seat
    // Other processes are looking too.
    await soon()
  }
}

/** Waits a few ms, not the same time in all processes, as others may be looking too. */
function soon(): Promise<void> {
  return pause(2 + Math.random() * 10)
}

async function lookForSeat(folder: string): Promise<Seat | undefined> {
  const dead = new Map<string, string>()
  try {
    const socket = await connectToAny(folder, dead)
    return socket === undefined ? await takePlace(folder, dead) : { socket }
  } catch (error) {
    // The last process to leave removes the folder.
    if (codeOf(error) !== 'ENOENT') throw error
    return undefined
  }
}

/** The newest comes first. */
function socketsIn(folder: string): readonly string[] {
  const numbered = readdirSync(folder).filter((name) => socketName.test(name))
  return numbered.sort((a, b) => numberOf(b) - numberOf(a))
}

function numberOf(name: string | undefined): number {
  return Number(socketName.exec(name ?? '')?.[1] ?? 0)
}

/** Distinguishes a file from others that have had, or will get, the same name; undefined: it is not there. */
function identityOf(file: string): string | undefined {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}:${found.mtimeNs}`
}

/** Connects to the newest socket that accepts. Notes those that refuse: they are dead. */
async function connectToAny(folder: string, dead: Map<string, string>): Promise<Socket | undefined> {
  for (const name of socketsIn(folder)) {
    const file = path.join(folder, name)
    const identity = identityOf(file)
    const socket = await connectTo(file)
    if (socket !== undefined) return socket
    if (identity !== undefined) dead.set(name, identity)
  }
  return undefined
}

/**
 * undefined: nobody listens there. A process that ends before it accepts resets the connection, and is tried again: it may be dead then.
 */
function connectTo(address: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(address)
    socket.unref()
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined)
      else if (error.code === 'ECONNRESET') resolve(soon().then(() => connectTo(address)))
      else reject(error)
    })
  })
}

/** On Windows the name of a pipe is free once its process is dead, and only one can have it. */
export async function takePipe(address: string): Promise<Seat> {
  for (;;) {
    const socket = await connectTo(address)
    if (socket !== undefined) return { socket }
    try {
      const server = await listenAt(address)
      return { server, at: { holds: () => true, leave: () => {} } }
    } catch {
      await soon()
    }
  }
}

/** A listening server; in a worker of `node:cluster` it belongs to the worker, and is not one that the primary shares out. */
function listenAt(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ path: address, exclusive: true }, () => {
      server.removeListener('error', reject)
      resolve(server.unref())
    })
  })
}

/** undefined: another process was first, or may have been. */
export async function takePlace(
  folder: string,
  dead: ReadonlyMap<string, string>,
): Promise<Seat | undefined> {
  const number = Math.max(0, ...[...dead.keys()].map(numberOf)) + 1
  const name = `${number}.sock`
  const file = path.join(folder, name)
  // It listens before any process can find it, so that a socket that refuses is dead, and never one that is about to listen.
  const before = path.join(folder, `.${process.pid.toString(36)}-${Math.random().toString(36).slice(2, 8)}`)
  const server = await listenAt(before)
  try {
    chmodSync(before, 0o600)
    linkSync(before, file)
  } catch (error) {
    server.close()
    // ENOENT: the last process to leave has removed the folder.
    if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') throw error
    return undefined
  } finally {
    remove(before)
  }
  const identity = identityOf(file)
  const others = socketsIn(folder).filter((other) => other !== name)
  if (others.some((other) => identityOf(path.join(folder, other)) !== dead.get(other))) {
    remove(file)
    server.close()
    return undefined
  }
  for (const other of others) remove(path.join(folder, other))
  removeUnlinked(folder)
  const at = {
    holds: () => identity !== undefined && identityOf(file) === identity,
    leave() {
      if (at.holds()) remove(file)
      removeFolder(folder)
    },
  }
  return { server, at }
}

function remove(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // It has gone already.
  }
}

const youngMs = 10_000

/** Removes the sockets of processes that died before these had a number. */
function removeUnlinked(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const found = unlinkedName.test(name) ? lstatSync(file, { throwIfNoEntry: false }) : undefined
    if (found !== undefined && Date.now() - found.mtimeMs > youngMs) remove(file)
  }
}

/** Removes the folder if nothing is left in it. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Other processes have files in it.
  }
}
