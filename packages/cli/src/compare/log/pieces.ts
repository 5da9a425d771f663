import { maxLineLength } from './format.ts'

const ofContainer = /^(\d{4}-\d\d-\S+ (stdout|stderr) )([FP]) /
/** The bytes after which Docker cuts what a program writes. */
const cutAt = 16_384

/**
 * Joins the pieces of lines that a container's runtime has cut after 16 KiB, each stream for itself, as pieces of two may alternate.
 * Kubernetes marks a piece with `P` and the last one with `F`; Docker leaves the line end out of all but the last.
 */
export class Pieces {
  readonly #begun = new Map<string, string>()
  #docker = false

  /** The whole line that ends with this one; undefined for a piece that has more to come. */
  whole(line: string): string | undefined {
    if (line.startsWith('{"log":"')) return this.#ofDocker(line)
    const [front = '', head, stream = '', mark] = ofContainer.exec(line) ?? []
    if (mark === undefined || (mark === 'F' && this.#begun.size === 0)) return line
    const begun = this.#begun.get(stream) ?? `${head}F `
    return this.#next(stream, begun + line.slice(front.length), mark === 'P')
  }

  /** What has begun and never ended. */
  rest(): Iterable<string> {
    return this.#begun.values()
  }

  #ofDocker(line: string): string | undefined {
    const last = line.includes(String.raw`\n","stream":`)
    this.#docker ||= last
    if (!this.#docker || (last && this.#begun.size === 0)) return line
    const [, text, stream = ''] = /^\{"log":"(.*)","stream":"(\w+)"/.exec(line) ?? []
    if (text === undefined || !(last || Buffer.byteLength(line) >= cutAt)) return line
    const begun = this.#begun.get(stream)
    return this.#next(
      stream,
      begun === undefined ? line : begun.replace('","stream":', () => `${text}","stream":`),
      !last,
    )
  }

  #next(stream: string, text: string, more: boolean): string | undefined {
    if (!more) this.#begun.delete(stream)
    else this.#begun.set(stream, text.slice(0, maxLineLength + 1))
    return more ? undefined : text
  }
}
