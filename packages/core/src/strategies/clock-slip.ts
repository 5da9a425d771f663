/**
 * How far the clock may step back before state in the future counts as wrong: a server's TIME is not strictly monotonic. Up to this
 * distance nothing is moved, so ends, counts and receipts stay valid. The same number is in `include/slip.lua`.
 */
export const slipUs = 1000
