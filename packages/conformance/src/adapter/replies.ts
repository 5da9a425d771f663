import { expect } from '@jest/globals'
import { isInnerList, parseList } from 'structured-headers'
import type { Client, Reply } from './client.ts'
import type { Options } from './site.ts'
import type { World } from './world.ts'

/** Every field that a limiter may send, in order of the alphabet: on the wire it means nothing (RFC 9110, 5.3). */
export function limitFieldsOf({ headers }: Reply): readonly string[] {
  return Object.keys(headers)
    .filter((name) => /ratelimit|retry-after/.test(name))
    .sort()
}

/** A draft field as a client reads it: a list of texts with whole numbers. */
export function parsed(field: string | string[] | undefined): readonly (readonly [string, object])[] {
  return parseList(String(field)).map((item) => {
    if (isInnerList(item)) throw new Error('an inner list')
    const [name, parameters] = item
    expect(typeof name).toBe('string')
    for (const value of parameters.values()) expect(Number.isInteger(value)).toBe(true)
    return [String(name), Object.fromEntries(parameters)]
  })
}

/** What so many requests in a row are answered. */
export async function repliesOf(client: Client, count: number): Promise<Reply[]> {
  const all: Reply[] = []
  for (let i = 0; i < count; i++) all.push(await client.send())
  return all
}

/** The third request of a window of two. */
export async function refused(
  client: Client,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  await client.crowd(2)
  return client.send({ headers })
}

/** What such a site answers then. */
export async function refusal(world: World, options: Options): Promise<Reply> {
  return refused(await world.limited(options))
}
