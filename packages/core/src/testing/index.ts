export { manualClock } from './manual-clock.ts'
