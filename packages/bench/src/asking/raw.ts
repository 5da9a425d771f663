import type { MakeAsker } from './work.ts'

/** The least: a counter without a limit. One INCR over the connection, or a Map. */
export const askRaw: MakeAsker = async (place) => {
  const isRight = (answer: unknown) => typeof answer === 'number'
  if (place.kind === 'memory') {
    const counts = new Map<string, number>()
    async function ask(key: string): Promise<number> {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count
    }
    return { ask, isRight }
  }
  // As long as the names that the limiters give.
  const { client } = place
  return { ask: (key) => client.incr(`sl3:{${key}}:raw:xx`), isRight }
}
