import { type Arrivals, mostArrivals, originUs } from './arrival.ts'

/** Traffic as columns of equal length: how many requests each has. */
export interface Drawn {
  readonly kind: 'drawn'
  readonly columnMs: number
  readonly columns: readonly number[]
  /** Three clients, of whom the first asks ten times as often as each of the others. @default one client */
  readonly isCrowd?: true
}

/** Who sends the twelve requests of a round, where there are three clients. */
const round = ['ben', 'amy', 'amy', 'amy', 'amy', 'amy', 'cat', 'amy', 'amy', 'amy', 'amy', 'amy']

export const columnCount = 40
/** Lengths of a column to choose from. */
export const columnLengths: readonly number[] = [100, 1000, 10_000, 60_000, 3_600_000, 86_400_000]

/** The requests of a column begin with it and are spread evenly over it. */
export function arrivalsOfDrawn({ columnMs, columns, isCrowd }: Drawn): Arrivals {
  const total = columns.reduce((sum, column) => sum + column, 0)
  if (total > mostArrivals)
    throw new RangeError(`The drawing has ${total} requests; the playground takes ${mostArrivals}.`)
  const stepUs = columnMs * 1000
  let sent = 0
  const arrivals = columns.flatMap((column, place) =>
    Array.from({ length: column }, (_, i) => ({
      atUs: originUs + place * stepUs + Math.floor((i / column) * stepUs),
      key: (isCrowd && round[sent++ % round.length]) || 'bob',
    })),
  )
  return { arrivals, axis: { fromUs: originUs, stepUs, buckets: columns.length } }
}

const each = (of: (place: number) => number): readonly number[] =>
  Array.from({ length: columnCount }, (_, place) => Math.max(0, Math.round(of(place))))

/** Shapes to begin with. */
export const shapes: Readonly<
  Record<string, { readonly title: string; readonly columns: readonly number[] }>
> = {
  steady: { title: 'Steady', columns: each(() => 2) },
  burst: { title: 'One burst', columns: each((place) => (place === 10 ? 60 : 1)) },
  border: {
    title: 'Double at the border',
    columns: each((place) => (place === 0 ? 1 : place === 9 ? 19 : place === 10 ? 20 : 0)),
  },
  waves: { title: 'Waves', columns: each((place) => 4 - 4 * Math.cos((place / 10) * 2 * Math.PI)) },
  ramp: { title: 'More and more', columns: each((place) => place / 5) },
  flood: { title: 'Flood', columns: each((place) => (place < 4 || place > 30 ? 1 : 12)) },
}
