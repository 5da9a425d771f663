/** A reply with its type, to be written in either protocol. */
export type Reply =
  | null
  | number
  | string
  | readonly Reply[]
  | { readonly status: string }
  | { readonly error: string }
  | { readonly double: number }
  /** A map in RESP3; in RESP2 the list that `flat` or `pairs` make of it. */
  | { readonly map: readonly (readonly [string, Reply])[]; readonly as: 'flat' | 'pairs' }
  /** A list in RESP2. */
  | { readonly set: readonly string[] }
  | { readonly resp2: Reply; readonly resp3: Reply }

export function encode(reply: Reply, protocol: number): string {
  const each = (all: readonly Reply[]) => all.map((one) => encode(one, protocol)).join('')
  if (reply === null) return protocol === 3 ? '_\r\n' : '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`
  if ('status' in reply) return `+${reply.status}\r\n`
  if ('error' in reply) return `-${reply.error}\r\n`
  if ('double' in reply) return protocol === 3 ? `,${reply.double}\r\n` : encode(String(reply.double), 2)
  if ('resp2' in reply) return encode(protocol === 3 ? reply.resp3 : reply.resp2, protocol)
  if ('set' in reply) return `${protocol === 3 ? '~' : '*'}${reply.set.length}\r\n${each(reply.set)}`
  if (!('as' in reply)) return `*${reply.length}\r\n${each(reply)}`
  if (protocol === 3) return `%${reply.map.length}\r\n${each(reply.map.flat())}`
  return encode(reply.as === 'flat' ? reply.map.flat() : reply.map, 2)
}

/** Reads the commands in a client's bytes: lists of texts. A command that is not whole yet waits. */
export class Commands {
  #rest = Buffer.alloc(0)

  read(chunk: Buffer): readonly (readonly string[])[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const commands: (readonly string[])[] = []
    for (let command = this.#next(); command !== undefined; command = this.#next()) commands.push(command)
    return commands
  }

  #next(): readonly string[] | undefined {
    let at = 0
    const number = (): number | undefined => {
      const end = this.#rest.indexOf('\r\n', at)
      if (end < 0) return undefined
      const value = Number(this.#rest.toString('latin1', at + 1, end))
      at = end + 2
      return value
    }
    const count = number()
    if (count === undefined) return undefined
    const words: string[] = []
    for (let i = 0; i < count; i++) {
      const length = number()
      if (length === undefined || this.#rest.length < at + length + 2) return undefined
      words.push(this.#rest.toString('utf8', at, at + length))
      at += length + 2
    }
    this.#rest = this.#rest.subarray(at)
    return words
  }
}
