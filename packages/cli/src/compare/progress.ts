import type { WriteStream } from 'node:tty'
import { Presets, SingleBar } from 'cli-progress'

export interface Progress {
  /** Reports how much of the whole is done. */
  at(done: number): void
  end(): void
}

/** Shows the progress of the work, and removes it afterwards. */
export async function withProgress<T>(
  whole: number | undefined,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = progressOn(process.stderr, whole)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean | undefined }

/** A bar on a terminal if the total is known; otherwise nothing. */
export function progressOn(stream: Stream, whole: number | undefined): Progress {
  if (!stream.isTTY || whole === undefined || whole === 0) return { at() {}, end() {} }
  const own = { stream: stream as NodeJS.WriteStream, format: '{bar} {percentage} %, {duration_formatted}' } // a terminal
  const bar = new SingleBar({ ...own, clearOnComplete: true, hideCursor: true }, Presets.shades_classic)
  bar.start(whole, 0)
  return {
    at: (done) => bar.update(Math.min(done, whole)),
    end: () => bar.stop(),
  }
}
