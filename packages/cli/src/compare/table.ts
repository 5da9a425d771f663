import { spanWords } from '@sluice/core/internal'
import Table from 'cli-table3'
import { oneLine } from '../one-line.ts'
import { paint } from '../print.ts'
import type { Comparison, Outcome, Result, WorstWindow } from './comparison.ts'
import { count, share, time } from './words.ts'

const head = ['policy', 'admitted', 'refused', 'share', 'clients refused', 'busiest second', 'fullest window']
const none = '–'

/** One row per policy, with its half and its double. */
export function tableOf({ results }: Comparison): string {
  const table = new Table({
    head: head.map((title) => paint('bold', title)),
    colAligns: head.map((_, column) => (column === 0 || column === 6 ? 'left' : 'right')),
    // The table's own colours would also appear in a pipe.
    style: { head: [], border: [] },
  })
  for (const result of results) table.push(rowOf(result))
  return table.toString()
}

/** Three lines in every cell: the policy, its half, its double. */
function rowOf(result: Result): string[] {
  const { text, keyedBy, worstSecond, worstWindow, tighter, looser } = result
  const name = paint('bold', `${oneLine(text)} by ${oneLine(keyedBy)}`)
  const names = [name, `  half: ${tighter?.rule ?? none}`, `  double: ${looser?.rule ?? none}`]
  const numbers = [numbersOf(result), numbersOf(tighter), numbersOf(looser)]
  const columns = [0, 1, 2, 3].map((column) => numbers.map((row) => row[column] ?? none).join('\n'))
  const window = worstWindow === null ? none : windowWords(worstWindow)
  return [names.join('\n'), ...columns, count(worstSecond.count), window]
}

/** Empty if the variant does not exist. */
function numbersOf(outcome: Outcome | null): string[] {
  if (outcome === null) return []
  const { admitted, refused, refusedShare, clientsRefused } = outcome
  return [count(admitted), count(refused), share(refusedShare), count(clientsRefused)]
}

/** `187 of 100 in 10 s, 192.0.2.7 at 13:20:01` */
function windowWords({ count: sum, most, windowMs, key, atMs, atLeast }: WorstWindow): string {
  if (sum === 0) return none
  const of = most === null ? '' : ` of ${count(most)}`
  const words = `${atLeast ? 'at least ' : ''}${count(sum)}${of} in ${spanWords(windowMs * 1000)}`
  return `${most !== null && sum > most ? paint('bold', words) : words}, ${shortened(key)} at ${time(atMs)}`
}

function shortened(key: string): string {
  const text = oneLine(key)
  return text.length > 24 ? `${text.slice(0, 23)}…` : text
}
