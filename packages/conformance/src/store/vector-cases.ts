import { expect } from '../runner.ts'
import type { StoreCase } from './case.ts'
import type { StoreUnderTest } from './under-test.ts'
import { playedVector } from './vector-run.ts'
import type { VectorCase } from './vectors.ts'

async function answers(subject: StoreUnderTest, vector: VectorCase): Promise<void> {
  const { seen, expected } = (await playedVector(subject, vector)).answers
  expect(seen).toEqual(expected)
}

async function lives(subject: StoreUnderTest, vector: VectorCase): Promise<void> {
  if (subject.lifeUs === undefined) throw new Error('a store without `lifeUs` skips the lives of its keys')
  const { seen, expected } = (await playedVector(subject, vector)).lives
  expect(seen).toEqual(expected)
}

/** A test of each vector, and one of the lives in all of them. */
export function vectorCases(about: string, vectors: readonly VectorCase[]): StoreCase[] {
  return [
    ...vectors.map((vector) => ({
      about,
      title: `vector: ${vector.title}`,
      run: (subject: StoreUnderTest) => answers(subject, vector),
    })),
    {
      about,
      title: 'gives its keys the lives that the vectors say',
      async run(subject) {
        for (const vector of vectors) await lives(subject, vector)
      },
    },
  ]
}
