import type { Options } from './site.ts'
import type { World } from './world.ts'

/** Sends three requests and answers what the error handler got. */
export async function caught(world: World, options: Options): Promise<readonly unknown[]> {
  const errors: unknown[] = []
  const client = await world.limited(options, {
    onError: (error, { send }) => {
      errors.push(error)
      send(500, 'caught')
    },
  })
  for (let i = 0; i < 3; i++) await client.send()
  return errors
}

/** The same of many options, each on a path of its own: a site for each would take longer than what is asked of it. */
export async function caughtEach(
  world: World,
  all: readonly Options[],
): Promise<readonly (readonly unknown[])[]> {
  const errors: unknown[] = []
  const routes = all.map((options, i) => ({ path: `/tickets/${i}`, limits: [options] }))
  const client = await world.open({
    routes,
    onError: (error, { send }) => {
      errors.push(error)
      send(500, 'caught')
    },
  })
  const each: (readonly unknown[])[] = []
  for (const { path } of routes) {
    for (let i = 0; i < 3; i++) await client.send({ path })
    each.push(errors.splice(0))
  }
  return each
}

/** A function that answers so at once, and one that does later. */
export function bothWays(answer: unknown): readonly (() => unknown)[] {
  return [() => answer, async () => answer]
}
