/** Prints rows under their titles, as wide as the terminal. What measures text is loaded only here: `sluice --help` needs none of it. */
export async function printColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const { columns, lineWidth } = await import('./table.ts')
  for (const line of columns(head, rows, lineWidth())) console.log(line)
}
