/**
 * Reads once a second while the page can be seen, one question at a time, and hands each answer to `show`;
 * `lose` is called instead when there was none. Returns a function that reads now rather than at the next second.
 */
export function startPolling({ read, show, lose, everyMs = 1000, later = setTimeout, page = document }) {
  let timer
  let reading = false
  let askedMeanwhile = false

  async function poll() {
    clearTimeout(timer)
    if (reading) {
      askedMeanwhile = true
      return
    }
    reading = true
    const answer = await read().catch(() => null)
    reading = false
    if (!page.hidden) timer = later(poll, askedMeanwhile ? 0 : everyMs)
    askedMeanwhile = false
    if (answer === null) lose()
    else show(answer)
  }

  function pollNow() {
    void poll()
  }

  page.addEventListener('visibilitychange', () => (page.hidden ? clearTimeout(timer) : pollNow()))
  pollNow()
  return pollNow
}
