/** An amount, rounded to its smallest unit: a difference of two fractions is a little off in binary. */
export function amountText(amount: number): string {
  return String(Number(amount.toFixed(6)))
}
