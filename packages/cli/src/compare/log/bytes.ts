import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { unreadable } from '../../read-file.ts'

/** Where a log comes from. */
export interface Source {
  /** The name of the source in messages. */
  readonly name: string
  /** Size in bytes before unpacking; undefined if unknown. */
  readonly size: number | undefined
  /** Reads the bytes, unpacked if they are gzipped. A file can be read again, standard input cannot. */
  bytes(progress: (read: number) => void): AsyncIterable<Buffer>
}

export function standardInput(): Source {
  return {
    name: 'standard input',
    size: undefined,
    bytes: (progress) => unpacked(process.stdin, 'standard input', progress),
  }
}

/** Throws a UsageError for a file that cannot be read. */
export async function fileSource(file: string): Promise<Source> {
  try {
    // A folder can be opened but not read.
    await (await open(file)).close()
    const about = await stat(file)
    if (about.isDirectory()) throw new Error('it is a folder')
    return {
      name: file,
      size: about.isFile() ? about.size : undefined,
      bytes: (progress) => unpacked(createReadStream(file, { highWaterMark: 262_144 }), file, progress),
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** The first bytes of other compressions, and what decompresses them. */
const otherCompressions = [
  ['28b52ffd', 'zstd -dc'],
  ['fd377a585a00', 'xz -dc'],
  ['425a68', 'bzip2 -dc'],
  ['504b0304', 'unzip -p'],
] as const

async function* unpacked(
  packed: AsyncIterable<Buffer>,
  name: string,
  progress: (read: number) => void,
): AsyncGenerator<Buffer> {
  try {
    const chunks = counted(packed, progress)
    const start = await startOf(chunks)
    const whole = rejoined(start, chunks)
    // Detected by its first bytes, because a pipe has no name and a file may have any.
    const begins = start.toString('hex')
    const other = otherCompressions.find(([bytes]) => begins.startsWith(bytes))
    if (other !== undefined)
      throw new Error(`it is compressed by another program than gzip: decompress it first by ${other[1]}`)
    yield* begins.startsWith('1f8b') ? gunzipped(whole) : whole
  } catch (error) {
    throw unreadable(name, error)
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  progress: (read: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    progress(read)
    yield chunk
  }
}

/** Reads at least the first six bytes, if there are that many. */
async function startOf(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < 6) {
    const { value, done } = await chunks.next()
    if (done === true) break
    start = Buffer.concat([start, value])
  }
  return start
}

async function* rejoined(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield start
  yield* rest
}

function gunzipped(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const source = Readable.from(chunks)
  const gunzip = createGunzip({ chunkSize: 262_144 })
  source.on('error', (error) => gunzip.destroy(error))
  return source.pipe(gunzip)
}
