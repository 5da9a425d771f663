const secondMs = 1000
const tidySeconds = [1, 2, 5, 10, 20, 30, 60, 120, 300]
/** Characters between two times: `580 s`, and a space on both sides. */
const roomOfTime = 8

/** The line below a chart, with a mark at each time, and the times; both begin at the chart's left edge, at 0 s. */
export function timeAxis(steps: number, stepMs: number): { readonly ticks: string; readonly times: string } {
  const columnOf = (seconds: number) => Math.round((seconds * secondMs) / stepMs)
  const every = tidySeconds.find((seconds) => columnOf(seconds) >= roomOfTime) ?? tidySeconds.at(-1) ?? 1
  const ticks = Array.from({ length: steps }, () => '─')
  let times = '0 s'
  for (let seconds = every; columnOf(seconds) <= steps; seconds += every) {
    const column = columnOf(seconds)
    ticks[column - 1] = '┴'
    const text = `${seconds} s`
    // A time begins below its mark, but never so late that it would go beyond the end of the line.
    const begins = Math.min(column, steps + 1 - text.length)
    if (begins > times.length) times = times.padEnd(begins) + text
  }
  return { ticks: ticks.join(''), times }
}
