import path from 'node:path'
import type { GuardOptions, Store } from '@sluice/core'
import { checkNames, optionError, realClock, stores } from '@sluice/core/internal'
import { readFolder } from './folder.ts'
import { takePipe, takeSeat } from './seats.ts'
import { HostStore } from './store.ts'

export interface HostStoreOptions extends GuardOptions {
  /**
   * The folder of the processes that count together: an absolute path, made where it is missing, with mode 700. Containers share one on
   * a volume. @default one for each user and package, below XDG_RUNTIME_DIR or the folder for temporary files
   *
   * @example hostStore({ path: '/run/shop/limits' })
   */
  path?: string | undefined
  /**
   * A file with the counts, for a restart of all processes: an absolute path. It is written every second, and at the end.
   * @default none: they end with the process that holds them, and one limit more may be admitted
   *
   * @example hostStore({ file: '/var/lib/shop/limits' })
   */
  file?: string | undefined
}

/**
 * Counts of all processes of one user on one machine, as those of `node:cluster` or PM2, without a server: the first process holds them
 * in its memory, the others ask it over a socket, and when it ends another takes its place. Guarded as `guardedStore` says.
 *
 * @example
 * const store = hostStore()
 * const limiter = createLimiter({ policy, store })
 */
export function hostStore(options: HostStoreOptions = {}): Store {
  checkNames(options, '', ['path', 'file', ...stores.guardNames])
  const folder = readFolder(options.path)
  const file = readFile(options.file)
  const guarding = stores.readGuardOptions(options)
  const seat = process.platform === 'win32' ? () => takePipe(pipeOf(folder)) : () => takeSeat(folder)
  const { maxKeys } = guarding
  return stores.guard(new HostStore({ takeSeat: seat, maxKeys, clock: realClock, file }), guarding)
}

function readFile(file: unknown): string | undefined {
  if (file === undefined || (typeof file === 'string' && path.isAbsolute(file))) return file
  throw optionError('file', 'the absolute path of a file', file)
}

/** Windows has no sockets in folders. */
function pipeOf(folder: string): string {
  return `\\\\.\\pipe\\${folder.replace(/[\\/:]+/g, '-')}`
}
