const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A time as other libraries put it into their answers: `2 minutes`. */
export function timeInWords(ms: number): string {
  for (const [name, unitMs] of units) {
    if (ms < unitMs) continue
    const count = Math.round(ms / unitMs)
    return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return `${ms} ms`
}
