import { shown } from './invariants/facts.ts'
import type { Played } from './player.ts'

interface Line {
  readonly atUs: number
  readonly text: string
}

/** A history as text: its scenario, then all that happened, in order. */
export function showHistory({ plan, world: { record }, breaches }: Played): string {
  const lines: Line[] = []
  const add = (atUs: number, text: string) => lines.push({ atUs, text })
  for (const { atUs, ...fault } of plan.faults) add(atUs, `fault: ${JSON.stringify(fault)}`)
  for (const call of record.calls) {
    add(call.askedUs, `asked:  ${shown(call)}`)
    if (call.endedUs !== undefined) add(call.endedUs, `ended:  ${shown(call)}`)
  }
  for (const { atUs, process, kind, about } of record.told) {
    if (kind !== 'decided') add(atUs, `told:   process ${process} ${kind} ${about}`)
  }
  for (const { ranUs, sent, key, units, process, receipt, call } of record.takes) {
    const to = call === undefined ? 'for nobody' : `for the call at ${call.askedUs}`
    const heard = sent.heardUs === undefined ? 'unheard' : 'heard'
    add(
      ranUs,
      `took:   ${units} of ${key} (${receipt}) for process ${process}, sent at ${sent.sentUs}, ${heard}, ${to}`,
    )
  }
  for (const { atUs, process, key, units, own } of record.gives)
    add(atUs, `gives:  ${units} of ${key} (${own}) by process ${process}`)
  for (const { atUs, process, key, receipt } of record.renewals)
    add(atUs, `renews: ${key} (${receipt}) by process ${process}`)
  for (const { askedUs, answeredUs, answer, plan: job } of record.offers) {
    add(askedUs, `offers: job ${job.nth} by process ${job.process}`)
    if (answeredUs !== undefined) add(answeredUs, `offered: job ${job.nth}: ${JSON.stringify(answer)}`)
  }
  for (const { beganUs, endedUs, job, ticket, attempt, process, threw } of record.runs) {
    add(beganUs, `begins: attempt ${attempt} of job ${job} (${ticket}) by process ${process}`)
    if (endedUs !== undefined)
      add(endedUs, `ends:   attempt ${attempt} of job ${job} by process ${process}${threw ? ', throws' : ''}`)
  }
  for (const text of record.lines) add(Number.parseInt(text, 10), `runs:   ${text}`)
  lines.sort((a, b) => a.atUs - b.atUs)
  const said = breaches.map((breach) => `${breach.invariant}: ${breach.said}`)
  return [JSON.stringify(plan.scenario), ...lines.map(({ atUs, text }) => `${atUs}  ${text}`), ...said].join(
    '\n',
  )
}
