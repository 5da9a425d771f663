/**
 * What a store answers to a check: a StoreRow. A class with an argument for each member, as V8 may go on to make an object literal in the
 * form of its first numbers, and move each to that of larger ones: that costs four times what a check in memory does.
 */
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
