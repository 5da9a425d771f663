import { readTicket } from './api.js'

const soonMs = 1000

/** Asks how a queued ticket stands until it is bought or lost, as often as the server says; `onAnswer` gets each answer. */
export async function followTicket({
  at,
  onAnswer,
  read = readTicket,
  sleep = (ms) => new Promise((wake) => setTimeout(wake, ms)),
}) {
  for (let askAgainMs = soonMs; ; ) {
    await sleep(askAgainMs)
    const answer = await read(at)
    onAnswer(answer)
    if (answer.outcome !== 'queued' && answer.outcome !== 'down') return
    askAgainMs = answer.askAgainMs
  }
}
