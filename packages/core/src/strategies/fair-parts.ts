/** What a client asked for in a window, refusals included. */
export interface Wish {
  readonly units: number
  readonly weight: number
}

/** What a client has in a window. */
export interface Part {
  /** By max–min fairness, rounded up. */
  readonly part: number
  /** As much of the part as its share among all that asked before: clients that have used their own fair shares may not use it. */
  readonly fair: number
  /** As much of the part as its share if one more client comes: no other client may use it. */
  readonly kept: number
}

/** The clients that asked for more than their share: the units that they have together, and their weight. */
interface Level {
  readonly units: number
  readonly weight: number
}

export function weightOf(wishes: ReadonlyMap<string, Wish>): number {
  let weight = 0
  for (const wish of wishes.values()) weight += wish.weight
  return weight
}

/** A client that asked for no more than its share gets all that it asked for, the smallest wish first; the rest is left to the others. */
function levelOf(wishes: ReadonlyMap<string, Wish>, limit: number): Level {
  const inOrder = [...wishes.values()].sort((a, b) => a.units * b.weight - b.units * a.weight)
  let [units, weight] = [limit, weightOf(wishes)]
  for (const wish of inOrder) {
    if (wish.units * weight > units * wish.weight) break
    units -= wish.units
    weight -= wish.weight
  }
  return { units, weight }
}

/** The parts of a window by max–min fairness: no client can have more unless one that has no more for its weight has less. */
export function partsOfWindow(wishes: ReadonlyMap<string, Wish>, limit: number): ReadonlyMap<string, Part> {
  const level = levelOf(wishes, limit)
  const all = weightOf(wishes)
  const parts = new Map<string, Part>()
  for (const [name, { units, weight }] of wishes) {
    const isServed = units * level.weight <= level.units * weight
    const part = isServed ? units : Math.ceil((level.units * weight) / level.weight)
    parts.set(name, {
      part,
      fair: Math.min(part, Math.floor((limit * weight) / all)),
      kept: Math.min(part, Math.floor((limit * weight) / (all + 1))),
    })
  }
  return parts
}
