import { expect, it } from '@jest/globals'
import { adaptiveLimit, type Shedding, shedding } from '@sluice/adaptive'
import { Registry } from 'prom-client'
import { prometheus } from '../src/index.ts'

/** Six of ten places taken, one request refused for its priority and three for want of a place. */
function busy(name: string): Shedding {
  const load = shedding({
    name,
    limit: adaptiveLimit({ initial: 6, max: 6 }),
    loopDelay: { delayMs: 30, close() {} },
  })
  for (let i = 0; i < 6; i++) load.admit()
  load.admit('sheddable')
  for (let i = 0; i < 3; i++) load.admit()
  return load
}

async function linesOf(...sheddings: readonly Shedding[]): Promise<readonly string[]> {
  const register = new Registry()
  prometheus({ register, sheddings })
  const text = await register.metrics()
  return text.split('\n').filter((line) => line.startsWith('sluice_shedding_') && !line.endsWith(' 0'))
}

it('load shedding shows its places, its latencies and what it refused', async () => {
  expect(await linesOf(busy('api'))).toEqual([
    'sluice_shedding_limit{shedding="api"} 6',
    'sluice_shedding_in_flight{shedding="api"} 6',
    'sluice_shedding_loop_delay_seconds{shedding="api"} 0.03',
    'sluice_shedding_refused_total{shedding="api",priority="default",reason="limit"} 3',
    'sluice_shedding_refused_total{shedding="api",priority="sheddable",reason="limit"} 1',
  ])
})

it('those of one name are added up, and one that fails harms no other', async () => {
  const broken = Object.assign(busy('broken'), {
    health() {
      throw new Error('away')
    },
  })
  expect(await linesOf(busy('api'), broken, busy('api'))).toEqual([
    'sluice_shedding_limit{shedding="api"} 12',
    'sluice_shedding_in_flight{shedding="api"} 12',
    'sluice_shedding_loop_delay_seconds{shedding="api"} 0.03',
    'sluice_shedding_refused_total{shedding="api",priority="default",reason="limit"} 6',
    'sluice_shedding_refused_total{shedding="api",priority="sheddable",reason="limit"} 2',
  ])
})

it('what is no load shedding is refused', () => {
  const register = new Registry()
  expect(() => prometheus({ register, sheddings: {} as never })).toThrow(
    /^sheddings: expected a list of what shedding\(\) returns/,
  )
  expect(() => prometheus({ register, sheddings: [{}] as never })).toThrow(
    /^sheddings\[0\]: expected load shedding: an object with a name and health\(\)/,
  )
})
