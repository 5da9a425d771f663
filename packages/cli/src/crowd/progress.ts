import type { WriteStream } from 'node:tty'
import { Presets, SingleBar } from 'cli-progress'
import type { Tally } from './tally.ts'
import type { TestResult } from './test-result.ts'
import { summaryLine } from './words.ts'

/** A test that is under way. */
interface Live {
  elapsedMs(): number
  readonly tally: Tally
}

/** Shows how far the crowd has come. */
export interface Progress {
  begin(title: string, live: Live): void
  end(result: TestResult): void
}

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean | undefined }

/** What is said of all tests. */
export interface About {
  readonly tests: number
  readonly seconds: number
  readonly allowed: number
}

/** A bar on a terminal; elsewhere a line for each test that has ended. */
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
      stream.write(`${ended}/${about.tests} ${summaryLine(result, about.allowed)}\n`)
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
      // Ctrl-C is the crowd's own: what was seen is printed.
      const own = { stream: stream as NodeJS.WriteStream, format, gracefulExit: false, clearOnComplete: true }
      bar = new SingleBar({ ...own, barsize: 20 }, Presets.shades_classic)
      const payload = () => ({ title, admitted: tally.admitted, refused: tally.refused })
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
