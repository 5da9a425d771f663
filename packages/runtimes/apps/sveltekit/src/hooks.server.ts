import { handle as start } from '.tmp/start.ts'
import { rateLimit } from '@sluice/fetch/sveltekit'
import type { Handle } from '@sveltejs/kit'
import { sequence } from '@sveltejs/kit/hooks'
import { zoo } from '../../../src/zoo.ts'

const handles = Object.fromEntries(
  Object.entries(zoo).map(([path, { limits, proxies = 0 }]) => [
    path,
    sequence(...limits.map((options) => rateLimit<string>({ ...options, proxies }) as Handle)),
  ]),
)

export const handle: Handle = (input) => {
  const { pathname } = input.event.url
  const limited = pathname === '/start' ? start : handles[pathname]
  return limited === undefined ? input.resolve(input.event) : limited(input)
}
