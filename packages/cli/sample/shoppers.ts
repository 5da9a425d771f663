import { exponential, type Random, randomOf } from '../src/compare/traffic/random.ts'
import type { SampleRequest } from './request.ts'

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
] as const

const words = ['tea', 'lamp', 'chair', 'socks', 'kettle', 'notebook', 'garden+hose'] as const

/** What a page asks for: one answer, and what it needs besides. */
const pages: readonly ((random: Random) => readonly string[])[] = [
  (random) => [`GET /api/products?page=${1 + whole(random, 9)}`, 'GET /api/offers'],
  (random) => [`GET /api/search?q=${pick(random, words)}`],
  (random) => productPage(1 + whole(random, 800)),
  (random) => productPage(1 + whole(random, 40)),
  (random) => [`POST /api/cart?product=${1 + whole(random, 800)}`, 'GET /api/cart'],
]

/** People: each looks at some pages, and takes a while over every one. */
export function shoppers(
  seed: number,
  about: { fromUs: number; toUs: number; visits: number },
): SampleRequest[] {
  const random = randomOf(seed, 0)
  const { fromUs, toUs, visits } = about
  return Array.from({ length: visits }, (_, i) => {
    // Some came before the log begins, and some stay after it.
    const beganUs = fromUs - 300e6 + random() * (toUs - fromUs + 300e6)
    return visit(random, { ip: addressOf(i), user: random() < 0.3 ? `shopper${i}` : '-', beganUs })
  })
    .flat()
    .filter(({ atUs }) => atUs >= fromUs && atUs < toUs)
}

function visit(random: Random, who: { ip: string; user: string; beganUs: number }): SampleRequest[] {
  const { ip, user } = who
  const agent = pick(random, agents)
  const requests: SampleRequest[] = []
  let pageUs = who.beganUs
  for (let left = 2 + exponential(random, 10); left > 0; left--) {
    for (const [i, request] of pick(random, pages)(random).entries()) {
      const atUs = Math.floor(pageUs + i * (20e3 + random() * 150e3))
      requests.push({ atUs, ...answer(random), ip, user, request, agent })
    }
    pageUs += 1e6 + exponential(random, 12e6)
  }
  return requests
}

/** One answer in fifty is slow, so its line stands late. */
function answer(random: Random): Pick<SampleRequest, 'tookUs' | 'status' | 'bytes'> {
  const tookUs = Math.floor(random() < 0.02 ? 1e6 + random() * 2e6 : 5e3 + random() * 75e3)
  return { tookUs, status: random() < 0.01 ? 404 : 200, bytes: 200 + whole(random, 30) * 64 }
}

function productPage(id: number): readonly string[] {
  return [`GET /api/products/${id}`, `GET /api/products/${id}/reviews`, `GET /api/products/${id}/stock`]
}

/** Addresses that are set aside for documentation, of both kinds. */
function addressOf(i: number): string {
  return i % 5 === 0 ? `2001:db8:${(i + 16).toString(16)}::1` : `192.0.2.${1 + (i % 250)}`
}

function pick<T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T {
  return list[whole(random, list.length)] as T // the place is one of the list's
}

function whole(random: Random, below: number): number {
  return Math.floor(random() * below)
}
