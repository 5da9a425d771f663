/** No frame is longer: what says it is comes from something else than this program. */
const mostBytes = 16 * 1024 * 1024
const headBytes = 4

/** What is JSON as one frame: its length, and its text. */
export function framed(content: unknown): Buffer {
  const text = JSON.stringify(content)
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headBytes + length)
  frame.writeUInt32LE(length, 0)
  frame.write(text, headBytes)
  return frame
}

/** The same; undefined where it would be too long. */
export function frameOf(content: unknown): Buffer | undefined {
  const frame = framed(content)
  return frame.length > mostBytes ? undefined : frame
}

/** Takes what a socket brings apart into frames. */
export class Frames {
  #pieces: Buffer[] = []
  #bytes = 0
  /** So many make the next frame, as far as its head is there. */
  #wanted = headBytes

  #keep(bytes: Buffer): void {
    this.#pieces = bytes.length > 0 ? [bytes] : []
    this.#bytes = bytes.length
  }

  /** The frames that are complete with this piece; throws for what is none. */
  *of(piece: Buffer): Generator<unknown> {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    while (this.#bytes >= this.#wanted) {
      const [first = piece, ...more] = this.#pieces
      const bytes = more.length === 0 ? first : Buffer.concat(this.#pieces)
      const length = bytes.readUInt32LE(0)
      if (length > mostBytes) throw new RangeError(`a frame of ${length} bytes`)
      this.#wanted = headBytes + length
      this.#keep(bytes)
      if (this.#bytes < this.#wanted) return
      const content: unknown = JSON.parse(bytes.toString('utf8', headBytes, this.#wanted))
      this.#keep(bytes.subarray(this.#wanted))
      this.#wanted = headBytes
      yield content
    }
  }
}
