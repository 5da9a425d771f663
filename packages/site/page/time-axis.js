/** px at the left of all charts, for their numbers. */
export const gutter = 44

const tidy = [
  0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 432_000,
]

const narrow = matchMedia('(max-width: 40rem)')

/** Seconds between the lines of the grid. */
export const everySeconds = (span) =>
  tidy.find((seconds) => span / seconds <= (narrow.matches ? 4 : 10)) ?? Math.ceil(span / 864_000) * 86_400

/** "1.5 s", "20 s", "5 min", "2 h": since the axis began. */
export function sinceBegin(seconds) {
  if (seconds === 0) return '0'
  if (seconds >= 172_800 && seconds % 86_400 === 0) return `${seconds / 86_400} d`
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  if (seconds >= 60 && seconds % 60 === 0) return `${seconds / 60} min`
  return `${Math.round(seconds * 1000) / 1000} s`
}
