import type { Decision } from '@sluice/core'
import type { Candidate } from '../candidate.ts'
import type { Result, WorstWindow } from '../comparison.ts'
import type { Request } from '../request.ts'
import { Fullest } from './fullest.ts'
import type { Names } from './names.ts'
import { type Column, greater, sum, type Timeline } from './timeline.ts'

const secondUs = 1e6

type CourseResult = Pick<
  Result,
  'worstSecond' | 'worstWindow' | 'refusedBy' | 'admittedOverTime' | 'refusedOverTime' | 'windowOverTime'
>

/** What a candidate did over time. */
export class Course {
  readonly #window: Candidate['window']
  readonly #admitted: Column
  readonly #refused: Column
  readonly #inWindow: Column
  readonly #second = new Fullest(secondUs)
  readonly #windows: Fullest
  readonly #levels = new Map<string, number>()
  readonly #ofFile: boolean

  constructor({ window }: Candidate, timeline: Timeline) {
    this.#window = window
    this.#ofFile = window === null
    this.#admitted = timeline.column(sum)
    this.#refused = timeline.column(sum)
    this.#inWindow = timeline.column(greater)
    this.#windows = new Fullest(window?.us ?? 1)
  }

  /** `place`: the step on the timeline; `key`: the key's number, −1 if it has none. */
  note(decision: Decision, { atUs, cost }: Request, { place, key }: { place: number; key: number }): void {
    if (decision.allowed) {
      this.#admitted[place] = (this.#admitted[place] ?? 0) + 1
      this.#second.add(atUs, 1)
      if (this.#window !== null && key >= 0) this.#noteWindow(this.#windows.add(atUs, cost, key), place)
    } else {
      this.#refused[place] = (this.#refused[place] ?? 0) + 1
      const { policy } = decision
      if (this.#ofFile) this.#levels.set(policy, (this.#levels.get(policy) ?? 0) + 1)
    }
  }

  #noteWindow(units: number, place: number): void {
    if (units > (this.#inWindow[place] ?? 0)) this.#inWindow[place] = units
  }

  result(names: Names): CourseResult {
    const { sum: count, atUs } = this.#second.found
    const levels = [...this.#levels].map(([level, refused]) => ({ level, refused }))
    return {
      worstSecond: { count, atMs: atUs / 1000 },
      worstWindow: this.#worstWindow(names),
      refusedBy: levels.sort((a, b) => b.refused - a.refused),
      admittedOverTime: this.#admitted,
      refusedOverTime: this.#refused,
      windowOverTime: this.#window === null ? null : this.#inWindow,
    }
  }

  #worstWindow(names: Names): WorstWindow | null {
    if (this.#window === null) return null
    const { sum: count, key, atUs } = this.#windows.found
    return {
      count,
      atMs: atUs / 1000,
      key: names.nameOf(key),
      windowMs: this.#window.us / 1000,
      most: this.#window.most,
      atLeast: this.#windows.forgot,
    }
  }
}
