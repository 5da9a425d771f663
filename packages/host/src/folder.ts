import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { codedError, optionError } from '@sluice/core/internal'

/** The most bytes of a path. A socket's address has at most 103 on macOS, 107 on Linux; the names in the folder need less than the rest. */
const longestFolder = 80

export function readFolder(folder: unknown): string {
  if (folder === undefined) return ownFolder()
  if (typeof folder !== 'string' || !path.isAbsolute(folder))
    throw optionError('path', 'the absolute path of a folder', folder)
  if (Buffer.byteLength(folder) > longestFolder)
    throw optionError(
      'path',
      `a path of at most ${longestFolder} bytes, as the name of a socket is short`,
      folder,
    )
  return path.normalize(folder)
}

/** One folder for all processes of a user whose programs are in the same package. */
function ownFolder(): string {
  const { uid, username } = userInfo()
  const digest = createHash('sha256').update(packageFolder()).digest('hex').slice(0, 12)
  const runtime = process.env.XDG_RUNTIME_DIR
  const above = runtime !== undefined && path.isAbsolute(runtime) && existsSync(runtime) ? runtime : tmpdir()
  const folder = path.join(above, `sluice-${uid < 0 ? username : uid}-${digest}`)
  return Buffer.byteLength(folder) > longestFolder ? path.join('/tmp', path.basename(folder)) : folder
}

/** The file of the program. PM2 starts a file of its own for every application, which loads the program that `pm_exec_path` names. */
function programFile(): string {
  const [, started = ''] = process.argv
  const isOfPm2 = /^ProcessContainer\w*\.js$/.test(path.basename(started))
  return (isOfPm2 && process.env.pm_exec_path) || started
}

/** Where the nearest package.json of the program is; the current folder where there is no program, or no package. */
function packageFolder(): string {
  const program = programFile()
  if (!existsSync(program)) return process.cwd()
  let folder = path.dirname(realpathSync(program))
  while (!existsSync(path.join(folder, 'package.json'))) {
    if (folder === path.dirname(folder)) return process.cwd()
    folder = path.dirname(folder)
  }
  return folder
}

/** Makes the folder where it is missing; throws where others than this user can look into it. */
export function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const uid = process.getuid?.()
  const found = lstatSync(folder)
  const isOwn = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0
  if (isOwn || uid === undefined) return
  const mode = (found.mode & 0o777).toString(8)
  throw codedError(
    `${folder} must be a folder of user ${uid} with mode 700, as its processes trust each other's counts; it has the owner ${found.uid} and mode ${mode}`,
    { code: 'SLUICE_HOST_FOLDER' },
  )
}
