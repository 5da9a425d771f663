/** What a program gets by every way there is to ask for a date. */
export interface Dates {
  /** Milliseconds since 1970, of the present moment. */
  readonly present: readonly number[]
  readonly past: number
  readonly isDate: boolean
}

process.on('message', (message) => {
  if (message !== 'look') return
  const made = new Date()
  const present = [Date.now(), made.getTime(), Date.parse(Date())]
  const dates: Dates = { present, past: new Date(0).getTime(), isDate: made instanceof Date }
  process.send?.(dates)
})
