// The connection to the server: what it says goes to `take`; when it falls silent or away, the page tries again by itself.

const firstWaitMs = 1000
const longestWaitMs = 30_000
/** The server says something each second. */
const longestSilenceMs = 10_000

/**
 * `address()` is asked for each connection, `take(message)` gets each message, `lose(waitMs)` is told after how long the
 * page tries again. Answers `{ open, close }`; `open` starts afresh, whatever was before.
 */
export function followStream({ address, take, lose }) {
  let source = null
  let timer
  let waitMs = firstWaitMs

  function close() {
    clearTimeout(timer)
    timer = undefined
    source?.close()
    source = null
  }

  function open() {
    close()
    source = new EventSource(address())
    source.addEventListener('message', receive)
    source.addEventListener('error', fail)
    timer = setTimeout(fail, longestSilenceMs)
  }

  function receive({ data, currentTarget }) {
    if (currentTarget !== source) return
    clearTimeout(timer)
    timer = setTimeout(fail, longestSilenceMs)
    waitMs = firstWaitMs
    take(JSON.parse(data))
  }

  function fail() {
    close()
    lose(waitMs)
    timer = setTimeout(open, waitMs)
    waitMs = Math.min(2 * waitMs, longestWaitMs)
  }

  addEventListener('online', () => source === null && timer !== undefined && open())
  return { open, close }
}
