import type { WriteStream } from 'node:tty'
import { Presets, SingleBar } from 'cli-progress'
import type { Tally } from './tally.ts'
import type { TestResult } from './test-result.ts'
import { count, summaryLine } from './words.ts'

/** A running test. */
interface Live {
  elapsedMs(): number
  readonly tally: Tally
}

/** Shows the progress of the crowd. */
export interface Progress {
  begin(title: string, live: Live): void
  end(result: TestResult): void
}

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean | undefined }

/** Facts about all tests. */
export interface About {
  readonly tests: number
  readonly seconds: number
}

/** A bar on a terminal; otherwise a line for each finished test. */
export function progressOn(stream: Stream, about: About): Progress {
  let ended = 0
  const bar = stream.isTTY ? barOn(stream, about.seconds) : null
  return {
    begin(title, live) {
      bar?.begin(`${ended + 1}/${about.tests} ${title}`, live)
    },
    end(result) {
      ended++
      bar?.end()
      stream.write(`${ended}/${about.tests} ${summaryLine(result)}\n`)
    },
  }
}

const steppingMs = 200

function barOn(stream: Stream, seconds: number): { begin(title: string, live: Live): void; end(): void } {
  let bar: SingleBar | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    begin(title, { elapsedMs, tally }) {
      const format = `{title} {bar} {value} of {total} s, {admitted} admitted, {refused} refused`
      // The crowd handles Ctrl-C itself, to print the results so far.
      const own = { stream: stream as NodeJS.WriteStream, format, gracefulExit: false, clearOnComplete: true }
      bar = new SingleBar({ ...own, barsize: 20 }, Presets.shades_classic)
      const payload = () => ({ title, admitted: count(tally.admitted), refused: count(tally.refused) })
      bar.start(seconds, 0, payload())
      timer = setInterval(() => {
        bar?.update(Math.min(seconds, Math.floor(elapsedMs() / 1000)), payload())
      }, steppingMs)
    },
    end() {
      clearInterval(timer)
      bar?.stop()
    },
  }
}
