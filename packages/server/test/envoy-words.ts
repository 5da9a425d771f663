import type { Answer } from './client.ts'
import { descriptor } from './client.ts'

/** A request from its words: `shop: user=ann, path=/a | ip=1 +2`. */
export function askedOf(words: string): object {
  const [, domain = '', descriptors = '', hits] = /^(.*?): (.*?)(?: \+(\d+))?$/.exec(words) ?? []
  return {
    domain,
    descriptors: descriptors.split(' | ').map((each) => descriptor(...each.split(', '))),
    ...(hits !== undefined && { hits_addend: Number(hits) }),
  }
}

/** An answer in words: `OK: OK 4/5 HOUR | OK`, each status with what is left, the limit, its unit, and its name where the file has one. */
export function saidOf({ overall_code, statuses }: Answer): string {
  const each = statuses.map(({ code, current_limit: limit, limit_remaining: left }) => {
    if (limit === null) return left === 0 ? code : `${code} ${left}`
    const name = limit.name.includes('/') ? '' : ` (${limit.name})`
    return `${code} ${left}/${limit.requests_per_unit} ${limit.unit}${name}`
  })
  return `${overall_code}: ${each.join(' | ')}`
}
