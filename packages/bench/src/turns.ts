import { type Pace, ratioOf, shuffled, spreadOf, undisturbed } from './rounds.ts'
import { type Column, named, type Section } from './section.ts'

/** Something that takes a turn in every round, wherever it runs. */
export interface Lane<Figure extends string> {
  readonly name: string
  turn(): Promise<Readonly<Record<Figure, number>>>
}

/** What one lane showed, round by round. */
interface Turns<Figure extends string> {
  readonly name: string
  readonly figures: readonly Readonly<Record<Figure, number>>[]
}

/** A column of a section of turns: a figure, or how many times that of another row of the same round it is. */
export interface Shown<Figure extends string> extends Column {
  readonly figure: Figure
  /** The row that a row is compared with. */
  readonly of?: (row: string) => string
}

/** Each lane once in every round, in a new order. */
export async function raceLanes<Figure extends string>(
  lanes: readonly Lane<Figure>[],
  { rounds }: Pick<Pace, 'rounds'>,
): Promise<readonly Turns<Figure>[]> {
  const entries = lanes.map((lane) => ({ lane, figures: [] as Readonly<Record<Figure, number>>[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { lane, figures } of shuffled(entries)) figures.push(await undisturbed(() => lane.turn()))
  }
  return entries.map(({ lane, figures }) => ({ name: lane.name, figures }))
}

export function sectionOfTurns<Figure extends string>(
  { id, title, shown }: { id: string; title: string; shown: readonly Shown<Figure>[] },
  turns: readonly Turns<Figure>[],
): Section {
  const rows = turns.map(({ name, figures }) => {
    const cells = shown.map(({ figure, of }) => {
      const laps = { name, values: figures.map((each) => each[figure]) }
      if (of === undefined) return spreadOf(laps.values)
      const base = { name, values: named(turns, of(name)).figures.map((each) => each[figure]) }
      return ratioOf(laps, base)
    })
    return { name, cells }
  })
  return { id, title, columns: shown.map(({ name, places }) => ({ name, places })), rows }
}
