import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { whyNoSteppedServer } from '@sluice/faults/outage'
import { outages as all, type Outage } from './course.ts'
import { courseInVirtualTime } from './in-virtual-time.ts'
import { OwnServer } from './on-a-server.ts'

/** A process that had no core for longer may see what happens in another order: then a difference says nothing. */
const mostLateMs = 100

const noClock = whyNoSteppedServer()
const outages = all.filter((outage) => noClock === undefined || outage !== 'a clock an hour ahead')
const titleOf = (outage: Outage) => `callers see of ${outage} in virtual time what they see of it on a server`
const servers = new Map<Outage, OwnServer>()
const onServers = new Map<Outage, readonly string[]>()
const inVirtualTime = new Map<Outage, readonly string[]>()

beforeAll(async () => {
  for (const outage of outages) inVirtualTime.set(outage, await courseInVirtualTime(outage))
  for (const outage of outages) servers.set(outage, await OwnServer.start())
  const lateMs = await playOnServers()
  for (const outage of outages) {
    const isSame = isDeepStrictEqual(inVirtualTime.get(outage), onServers.get(outage))
    if (!isSame && lateMs > mostLateMs)
      globalThis.notJudged?.(titleOf(outage), `this process had no core for ${lateMs} ms`)
  }
})
afterAll(() => Promise.all([...servers.values()].map((server) => server.end())))

/** All at once, as they wait most of their time. Answers by how much this process was late, once, in ms. */
async function playOnServers(): Promise<number> {
  const lateness = monitorEventLoopDelay()
  lateness.enable()
  const play = async ([outage, server]: readonly [Outage, OwnServer]) =>
    onServers.set(outage, await server.course(outage))
  await Promise.all([...servers].map(play))
  lateness.disable()
  return Math.round(lateness.max / 1e6)
}

for (const outage of outages) {
  it(titleOf(outage), () => expect(inVirtualTime.get(outage)).toEqual(onServers.get(outage)))
}

it('each of them is seen, but for lost scripts and clocks', () => {
  const unseen = outages.filter(
    (outage) => !inVirtualTime.get(outage)?.some((line) => line.includes('fallback')),
  )
  expect(unseen).toEqual(['lost scripts', 'a clock an hour ahead'])
})
