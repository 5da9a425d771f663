/** The most bytes of a frame: one that claims more comes from another program. */
const mostBytes = 16 * 1024 * 1024
const headBytes = 4

/** A value as one frame: the length and the text of its JSON. */
export function framed(content: unknown): Buffer {
  const text = JSON.stringify(content)
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headBytes + length)
  frame.writeUInt32LE(length, 0)
  frame.write(text, headBytes)
  return frame
}

/** The same; undefined if the frame would be too long. */
export function frameOf(content: unknown): Buffer | undefined {
  const frame = framed(content)
  return frame.length > mostBytes ? undefined : frame
}

/** Splits the bytes of a socket into frames. */
export class Frames {
  #pieces: Buffer[] = []
  #bytes = 0
  /** The bytes of the next frame, or of its head until that has come. */
  #wanted = headBytes

  #keep(bytes: Buffer): void {
    this.#pieces = bytes.length > 0 ? [bytes] : []
    this.#bytes = bytes.length
  }

  /** The frames that are complete with this piece. Throws for bytes that are no frame. */
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
