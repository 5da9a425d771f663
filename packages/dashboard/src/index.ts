export { type Dashboard, dashboard } from './dashboard.ts'
export type { DashboardOptions } from './options.ts'
