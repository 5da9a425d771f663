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
