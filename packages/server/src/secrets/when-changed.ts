import { unwatchFile, watchFile } from 'node:fs'

const pollMs = 500
/** How long to wait after a change: files that belong together are written one after another. */
const settleMs = 100

/** Calls `changed` some time after one of the files has changed. Does not keep the process alive. */
export function whenChanged(files: readonly string[], changed: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  function heard(): void {
    clearTimeout(timer)
    timer = setTimeout(changed, settleMs).unref()
  }
  for (const file of files) watchFile(file, { interval: pollMs, persistent: false }, heard)
  return {
    close() {
      clearTimeout(timer)
      for (const file of files) unwatchFile(file, heard)
    },
  }
}
