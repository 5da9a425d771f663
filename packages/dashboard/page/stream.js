// The connection to the server: messages go to `take`; if it is silent or lost, the page reconnects.

const firstWaitMs = 1000
const maxWaitMs = 30_000
/** The server sends a message each second. */
const maxSilenceMs = 10_000

/**
 * `address()` is called for each connection, `take(message)` gets each message, `lose(waitMs)` is called with the time until the
 * next try. Returns `{ open, close }`; `open` always starts a new connection.
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
    timer = setTimeout(fail, maxSilenceMs)
  }

  function receive({ data, currentTarget }) {
    if (currentTarget !== source) return
    clearTimeout(timer)
    timer = setTimeout(fail, maxSilenceMs)
    waitMs = firstWaitMs
    take(JSON.parse(data))
  }

  function fail() {
    close()
    lose(waitMs)
    timer = setTimeout(open, waitMs)
    waitMs = Math.min(2 * waitMs, maxWaitMs)
  }

  addEventListener('online', () => source === null && timer !== undefined && open())
  return { open, close }
}
