import type { StoreCase } from './case.ts'
import type { StoreUnderTest } from './under-test.ts'
import { runVector } from './vector-run.ts'
import type { VectorCase } from './vectors.ts'

/** A test of each vector, and one of the lives in all of them. */
export function vectorCases(about: string, vectors: readonly VectorCase[]): StoreCase[] {
  const cases = vectors.map((vector) => ({
    about,
    title: `vector: ${vector.title}`,
    run: (subject: StoreUnderTest) => runVector(subject, { vector, lives: false }),
  }))
  const lives: StoreCase = {
    about,
    title: 'gives its keys the lives that the vectors say',
    async run(subject) {
      for (const vector of vectors) await runVector(subject, { vector, lives: true })
    },
  }
  return [...cases, lives]
}
