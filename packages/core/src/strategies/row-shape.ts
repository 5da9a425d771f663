// The members of a StoreRow. A class, as V8 keeps small and large numbers in different forms: after the first large one it may go on to
// make an object literal in the old form and convert every object, and a check in memory then takes four times as long. An argument for
// each member, as an object of them would be such a literal.
export class RowShape<Why extends string = 'limited'> {
  declare readonly allowed: boolean
  declare readonly reason: Why | null
  declare readonly limit: number
  declare readonly remaining: number
  declare readonly retryAfterUs: number
  declare readonly resetAfterUs: number
  declare readonly waitUs: number
  declare readonly receipt: string | number

  constructor(
    limit: number,
    remaining: number,
    resetAfterUs: number,
    receipt: string | number,
    reason: Why | null,
    retryAfterUs: number,
    waitUs: number,
  ) {
    this.allowed = reason === null
    this.reason = reason
    this.limit = limit
    this.remaining = remaining
    this.retryAfterUs = retryAfterUs
    this.resetAfterUs = resetAfterUs
    this.waitUs = waitUs
    this.receipt = receipt
  }
}
