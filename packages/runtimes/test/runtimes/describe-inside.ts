import { describe, expect, it } from '@jest/globals'
import type { Skip } from '@sluice/conformance/adapter'
import { runInside } from '../../src/suite/inside/inside.ts'

const oneResponse = 'a handler answers by the Response that it returns: nothing of it begins before'
const noUpgrades = 'guards of upgrades are for servers of Node'
const noNode = 'its server has no responses and connections of Node'
const oneCore = 'a bundle has core once'

/** What no server of Web-standard handlers has. */
const common: readonly Skip[] = [
  { scenario: '3: a refusal is the same', reason: 'the fields of a connection are those of Node' },
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: '37: what is no method', reason: 'the server says what a method is' },
  { scenario: 'the matched route', reason: 'a bare handler has no routes' },
  { scenario: 'an answer that has begun', reason: oneResponse },
  { scenario: 'an answer given meanwhile', reason: oneResponse },
  { scenario: 'after the head was sent', reason: oneResponse },
  { scenario: 'a handler that works on keeps its place', reason: oneResponse },
  { scenario: 'is known to work on behind its answer', reason: oneResponse },
  { scenario: 'nor does it for an upgrade', reason: noUpgrades },
  { scenario: 'an upgrade whose key is null', reason: noUpgrades },
  { scenario: 'what an upgrade is answered', reason: noUpgrades },
  { scenario: 'past the limit an upgrade', reason: noUpgrades },
  { scenario: 'forty upgrades at once', reason: noUpgrades },
  { scenario: 'an upgrade and a request', reason: noUpgrades },
  { scenario: 'lists that change while it runs meet an upgrade', reason: noUpgrades },
  { scenario: 'taken over', reason: noNode },
  { scenario: 'behind an unanswered request', reason: noNode },
  { scenario: 'leave no listener on their connection', reason: noNode },
  { scenario: 'a second copy sees', reason: oneCore },
  { scenario: 'refusals of a second copy', reason: oneCore },
]

/** The suite for adapters inside a runtime, on the server that it has itself. */
export function describeInside(
  runtime: Parameters<typeof runInside>[0],
  { least, skips: own }: { readonly least: number; readonly skips: readonly Skip[] },
): void {
  describe(`inside ${runtime}`, () => {
    it('does what every adapter must do', async () => {
      const skips = [...common, ...own]
      const results = await runInside(runtime, skips)
      const of = (status: string) => results.filter((result) => result.status === status)
      expect(of('failed').map(({ title, error }) => `${title}\n${error}`)).toEqual([])
      const unlisted = of('skipped').filter(
        ({ title }) =>
          !skips.some(({ scenario, reason }) => title.includes(scenario) && title.endsWith(`(${reason})`)),
      )
      expect(unlisted).toEqual([])
      expect(of('passed').length).toBeGreaterThanOrEqual(least)
    }, 240_000)
  })
}
