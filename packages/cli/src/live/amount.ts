/** An amount to its smallest unit, without what a difference of two fractions is off in binary. */
export function amountText(amount: number): string {
  return String(Number(amount.toFixed(6)))
}
