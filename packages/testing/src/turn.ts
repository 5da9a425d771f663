import { isDateFake } from '@sluice/core/internal'

// Read once, when this file is loaded, as test runners fake it too. Browsers have none, but need no turns.
const { setImmediate: immediately } = globalThis as { setImmediate?: typeof setImmediate }

/** Calls back by a message, which no runner fakes, if this file was loaded under fake timers. */
function byMessage(done: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.once('message', () => {
    port1.close()
    done()
  })
  port2.postMessage(undefined)
}

const later: (done: () => void) => unknown =
  immediately === undefined || /* @__PURE__ */ isDateFake() ? byMessage : immediately

/** Waits for a turn of the event loop: callers that were woken go on until they wait for something else. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve)
  })
}
