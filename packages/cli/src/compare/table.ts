import { pictures } from '@sluice/core/internal'
import { oneLine } from '../one-line.ts'
import { paint } from '../print.ts'
import { type Column, fittedTable } from '../terminal/fitted-table.ts'
import { shortened, wrapped } from '../terminal/text.ts'
import type { Comparison, Outcome, Result, WorstWindow } from './comparison.ts'
import { count, keyWord, share, time } from './words.ts'

const busiest = 'busiest second'
const fullest = 'fullest window'
const columns: readonly Column[] = [
  { head: 'policy', align: 'left' },
  { head: 'admitted', align: 'right' },
  { head: 'refused', align: 'right' },
  { head: 'share', align: 'right' },
  { head: 'clients refused', align: 'right' },
  { head: busiest, align: 'right', goes: 1 },
  { head: fullest, align: 'left', goes: 2 },
]
const none = '–'
const longestKey = 24

/** One row per policy, with its half and its double; what finds no room within the width follows in lines. */
export function tableOf({ results }: Comparison, width: number | null): string {
  const { text, without } = fittedTable({ columns, rows: results.map(rowOf), width })
  if (without.length === 0) return text
  const lines = results.map((result) => wrapped(`${nameOf(result)}: ${factsOf(result, without)}`, width))
  return [text, ...lines].join('\n')
}

const nameOf = ({ text, keyedBy }: Result): string => `${oneLine(text)} by ${oneLine(keyWord(keyedBy))}`

function factsOf({ worstSecond, worstWindow }: Result, without: readonly string[]): string {
  const facts = { [busiest]: count(worstSecond.count), [fullest]: windowWords(worstWindow) }
  return Object.entries(facts)
    .filter(([head]) => without.includes(head))
    .map(([head, words]) => `${head} ${words}`)
    .join('; ')
}

/** Three lines in every cell: the policy, its half, its double. */
function rowOf(result: Result): string[] {
  const { worstSecond, worstWindow, tighter, looser } = result
  const name = paint('bold', nameOf(result))
  const names = [name, `  half: ${tighter?.rule ?? none}`, `  double: ${looser?.rule ?? none}`]
  const numbers = [numbersOf(result), numbersOf(tighter), numbersOf(looser)]
  const cells = [0, 1, 2, 3].map((column) => numbers.map((row) => row[column] ?? none).join('\n'))
  return [names.join('\n'), ...cells, count(worstSecond.count), windowWords(worstWindow)]
}

/** The cells of a variant; none if it does not exist. */
function numbersOf(outcome: Outcome | null): string[] {
  if (outcome === null) return []
  const { admitted, refused, refusedShare, clientsRefused } = outcome
  return [count(admitted), count(refused), share(refusedShare), count(clientsRefused)]
}

/** `187 of 100 in 10 s, 192.0.2.7 at 13:20:01` */
function windowWords(window: WorstWindow | null): string {
  if (window === null || window.count === 0) return none
  const { count: sum, most, windowMs, key, atMs, atLeast } = window
  const of = most === null ? '' : ` of ${count(most)}`
  const words = `${atLeast ? 'at least ' : ''}${count(sum)}${of} in ${pictures.spanWords(windowMs * 1000)}`
  const who = shortened(oneLine(key), longestKey)
  return `${most !== null && sum > most ? paint('bold', words) : words}, ${who} at ${time(atMs)}`
}
