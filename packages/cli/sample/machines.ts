import { exponential, randomOf } from '../src/compare/traffic/random.ts'
import type { SampleRequest } from './request.ts'

const minuteUs = 60e6

/** A partner's program that fetches the stock every five minutes, forty products at once. */
export function partner(seed: number, fromUs: number, toUs: number): SampleRequest[] {
  const random = randomOf(seed, 1)
  const about = { ip: '198.51.100.20', user: 'warehouse', status: 200, bytes: 264, agent: 'stock-sync/2.1' }
  const requests: SampleRequest[] = []
  for (let runUs = fromUs + 2 * minuteUs; runUs < toUs; runUs += 5 * minuteUs) {
    let atUs = Math.floor(runUs + random() * 3e6)
    for (let i = 1; i <= 40; i++) {
      requests.push({ ...about, atUs, tookUs: 12e3, request: `GET /api/products/${i}/stock` })
      atUs += 40e3 + Math.floor(random() * 30e3)
    }
  }
  return requests
}

/** A program that walks through all products, about five a second. */
export function scraper(seed: number, fromUs: number, toUs: number): SampleRequest[] {
  const about = { ip: '203.0.113.66', user: '-', status: 200, bytes: 1160, agent: 'python-requests/2.32.3' }
  return instants(seed, { stream: 2, fromUs, toUs, perSecond: 5 }).map((atUs, i) => {
    return { ...about, atUs, tookUs: 30e3, request: `GET /api/products/${i + 1}` }
  })
}

/** Four addresses that try passwords, about one and a half a second each. */
export function loginAttack(seed: number, fromUs: number, toUs: number): SampleRequest[] {
  const about = { user: '-', request: 'POST /api/login', status: 401, bytes: 98, agent: 'curl/8.5.0' }
  return [7, 8, 9, 10].flatMap((host) =>
    instants(seed, { stream: host, fromUs, toUs, perSecond: 1.5 }).map((atUs) => {
      return { ...about, atUs, tookUs: 180e3, ip: `203.0.113.${host}` }
    }),
  )
}

function instants(
  seed: number,
  about: { stream: number; fromUs: number; toUs: number; perSecond: number },
): readonly number[] {
  const random = randomOf(seed, about.stream)
  const meanUs = 1e6 / about.perSecond
  const found: number[] = []
  let us = about.fromUs + exponential(random, meanUs)
  for (; us < about.toUs; us += exponential(random, meanUs)) found.push(Math.floor(us))
  return found
}
