// Asks the server about a key, or to act on one.
import { actionFailure } from './words.js'

/** Resolves to the failure, null if there was none, and the result of `inspect`. */
export async function post(name, action) {
  const headers = { 'Content-Type': 'application/json' }
  try {
    const answer = await fetch(name, { method: 'POST', headers, body: JSON.stringify(action) })
    const body = await answer.json().catch(() => null)
    return { failure: answer.ok ? null : (body?.detail ?? actionFailure(answer.status)), body }
  } catch {
    return { failure: actionFailure(0), body: null }
  }
}
