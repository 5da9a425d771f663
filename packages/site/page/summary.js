import { count } from './numbers.js'

/** What a screen reader says when something has changed, and everybody may read. */
export function summaryOf(shown, { arrivals }) {
  if (arrivals.length === 0) return 'There is no traffic: draw or paste some.'
  const parts = shown.map(({ name, run }) => {
    return `${name} admits ${count(run.answers.filter(({ allowed }) => allowed).length)}`
  })
  const asked = arrivals.length === 1 ? '1 request' : `${count(arrivals.length)} requests`
  return parts.length === 0 ? `${asked}, and no policy that can decide.` : `Of ${asked}: ${parts.join(', ')}.`
}
