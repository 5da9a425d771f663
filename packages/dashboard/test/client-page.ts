import type { ServerResponse } from 'node:http'
import { Client } from '../src/client.ts'
import type { Message, RowHistory, RowInfo, Totals } from '../src/wire.ts'

/** What a page knows from the messages that it got, and nothing else. */
export class ClientPage {
  rows: readonly RowInfo[] = []
  fromSecond = 0
  buckets: { [id: string]: { inWindow: number[]; admitted: number[]; refused: number[] } } = {}
  totals: Totals | undefined
  readonly messages: Message[] = []
  #stepSeconds = 1
  #text = ''

  /** A client whose socket takes all at once. */
  client(): Client {
    return new Client({
      writableLength: 0,
      write: (text: string) => this.#hear(text),
    } as unknown as ServerResponse)
  }

  get kinds(): readonly string[] {
    return this.messages.map(({ event }) => event)
  }

  #hear(text: string): boolean {
    this.#text += text
    const events = this.#text.split('\n\n')
    this.#text = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) this.#take(JSON.parse(event.slice(6)))
    return true
  }

  #take(message: Message): void {
    this.messages.push(message)
    if (message.event === 'rows') this.rows = message.rows
    if (message.event === 'history') {
      this.fromSecond = message.fromSecond
      this.#stepSeconds = message.stepSeconds
      this.totals = message.totals
      this.buckets = structuredClone(message.rows) as { [id: string]: RowHistory & never }
    }
    if (message.event !== 'second' || this.totals === undefined) return
    this.totals = message.totals
    const place = (message.fromSecond - this.fromSecond) / this.#stepSeconds
    const lists = Object.values(this.buckets).flatMap((each) => [each.inWindow, each.admitted, each.refused])
    const length = lists[0]?.length ?? 0
    if (place === length) {
      this.fromSecond += this.#stepSeconds
      for (const list of lists) {
        list.shift()
        list.push(0)
      }
    }
    for (const [id, each] of Object.entries(this.buckets)) {
      const { inWindow = 0, admitted = 0, refused = 0 } = message.rows[id] ?? {}
      const at = Math.min(place, length - 1)
      each.inWindow[at] = inWindow
      each.admitted[at] = admitted
      each.refused[at] = refused
    }
  }
}
