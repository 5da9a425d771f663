import type { Sent } from '../link/stream.ts'
import type { TakeRecord } from './record.ts'

/** Takes that have not answered a call yet, by process, count and receipt. */
export class OpenTakes {
  readonly #byName = new Map<string, TakeRecord[]>()

  add(take: TakeRecord): void {
    const name = nameOf(take, take.receipt)
    const known = this.#byName.get(name)
    if (known === undefined) this.#byName.set(name, [take])
    else known.push(take)
  }

  /**
   * The first take since an instant whose reply was heard; for callers in line the last one. `receipt` is as callers know it, preceded by
   * the instant of the take where that matters.
   */
  match(
    take: Pick<TakeRecord, 'process' | 'key' | 'units' | 'isPart' | 'receipt'>,
    sinceUs: number,
  ): TakeRecord | undefined {
    const [era, own] = partsOf(take.receipt)
    const known = this.#byName.get(nameOf(take, own))
    if (known === undefined) return undefined
    // A caller in line whose place went back asks again by the same name.
    const isInLine = known.some(isOfLine)
    let at = -1
    for (let i = 0; i < known.length && (at < 0 || isInLine); i++)
      if (isHeard(known[i], { era, sinceUs })) at = i
    return at < 0 ? undefined : known.splice(at, 1)[0]
  }
}

function isHeard(take: TakeRecord | undefined, { era, sinceUs }: { era: string; sinceUs: number }): boolean {
  if (take?.sent.heardUs === undefined || take.ranUs < sinceUs) return false
  return era === '' || Number(era) === take.serverUs
}

/** Whether a take was for a caller in line. */
export function isOfLine({ sent: { command } }: TakeRecord): boolean {
  return command.name === 'script' && command.script.kind === 'line'
}

function nameOf(
  { process, key, units, isPart }: Pick<TakeRecord, 'process' | 'key' | 'units' | 'isPart'>,
  receipt: string | number,
): string {
  return `${process} ${key} ${units} ${isPart} ${receipt}`
}

/** Splits a receipt into the instant before it and the receipt itself. */
function partsOf(receipt: string | number): readonly [era: string, own: string | number] {
  if (typeof receipt !== 'string' || !receipt.startsWith('@')) return ['', receipt]
  const end = receipt.indexOf('@', 1)
  return [receipt.slice(1, end), receipt.slice(end + 1)]
}

/** What a call has taken on the server. */
export function takesOf(process: number, sent: Sent, ranUs: number): readonly TakeRecord[] {
  const takes: TakeRecord[] = []
  for (const taken of sent.ran?.taken ?? []) takes.push({ ...taken, process, sent, ranUs, call: undefined })
  return takes
}
