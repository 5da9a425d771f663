import { describeProblem, type ReloadEvent } from '@sluice/limits'
import { harmless } from './terminal.ts'

/** Where sentences go: `console`. */
export interface Terminal {
  log(sentence: string): void
  error(sentence: string): void
}

/** Prints one line about a change to the file of limits. */
export function limitsNews(file: string, terminal: Terminal): (event: ReloadEvent) => void {
  return (event) => {
    if (event.ok) terminal.log(`${harmless(file)} was read again: its limits hold now.`)
    else terminal.error(`The limits stay as they were: ${firstOf(event.problems)}`)
  }
}

function firstOf([first, ...others]: Extract<ReloadEvent, { ok: false }>['problems']): string {
  const what = first === undefined ? 'there is a problem' : describeProblem(first)
  return others.length === 0 ? what : `${what} (and ${others.length} more)`
}
