import { observerTimes } from './observers.ts'

// Started by observersInChild: how many rounds, how long a turn.
const [rounds = 0, turnMs = 0] = process.argv.slice(2).map(Number)
console.log(JSON.stringify(await observerTimes({ rounds, turnMs })))
