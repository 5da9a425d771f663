/** One request of the minute that every format is tried with. */
export interface MinuteRequest {
  readonly i: number
  readonly ms: number
  readonly ip: string
  /** The node of a balancer by which it came. */
  readonly proxy: string
  readonly path: string
  readonly iso: string
  /** `10/Mar/2026:13:00:00 +0000` */
  readonly clf: string
}

const beganMs = Date.UTC(2026, 2, 10, 13)

/**
 * 540 requests of 41 clients: 40 people with six each, and one who reads the catalogue at five a second, of whose 300 requests
 * a limit of 60 a minute refuses 240.
 */
export const minute: readonly MinuteRequest[] = [...flood(), ...people()]
  .sort((a, b) => a.ms - b.ms)
  .map(({ ms, ip, path }, i) => {
    const iso = new Date(ms).toISOString()
    const clf = `10/Mar/2026:${iso.slice(11, 19)} +0000`
    return { i, ms, ip, path, iso, clf, proxy: `10.0.0.${1 + (i % 2)}` }
  })

type Sent = Pick<MinuteRequest, 'ms' | 'ip' | 'path'>

function flood(): Sent[] {
  return Array.from({ length: 300 }, (_, i) => ({
    ms: beganMs + i * 200,
    ip: '203.0.113.66',
    path: `/catalogue/${i}`,
  }))
}

function people(): Sent[] {
  return Array.from({ length: 240 }, (_, i) => ({
    ms: beganMs + (i % 40) * 100 + Math.floor(i / 40) * 9000,
    ip: `198.51.100.${1 + (i % 40)}`,
    path: `/page/${Math.floor(i / 40)}`,
  }))
}
