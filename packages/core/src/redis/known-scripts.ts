import { isUnknownScript } from './connection.ts'
import type { Script } from './script.ts'

/** Sends a call of a script: by its digest, or with its text. */
export interface ScriptSender<Call> {
  bySha(script: Script, call: Call): Promise<unknown>
  byText(script: Script, call: Call): Promise<unknown>
}

/**
 * Which scripts a server knows by their digests. One that it may not know goes as text at once: refused and sent again it would be run
 * behind what was asked after it. What is sent on one connection is run in its order, so a text is sent once.
 */
export class KnownScripts {
  #known = new Set<string>()

  /** The server is another, or has lost what it knew. */
  forget(): void {
    this.#known = new Set()
  }

  run<Call>(sender: ScriptSender<Call>, script: Script, call: Call): Promise<unknown> {
    const known = this.#known
    if (!known.has(script.sha)) {
      known.add(script.sha)
      return sender.byText(script, call)
    }
    return sender.bySha(script, call).catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error
      // It has lost the others too: those that are sent from now on go as text. Others of this call's time have said so already.
      if (known === this.#known) this.forget()
      this.#known.add(script.sha)
      return sender.byText(script, call)
    })
  }
}
