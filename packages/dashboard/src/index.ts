export { type Dashboard, dashboard } from './dashboard.ts'
export { isLocalRequest } from './local-request.ts'
export type { DashboardOptions, ShownLimiter } from './options.ts'
