export { isLocalRequest } from '@sluice/http/internal'
export { type Dashboard, dashboard } from './dashboard.ts'
export type { DashboardOptions, ShownLimiter } from './options.ts'
