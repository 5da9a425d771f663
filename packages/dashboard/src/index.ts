export { isLocalRequest } from '@sluice/core/internal'
export { type Dashboard, dashboard } from './dashboard.ts'
export type { DashboardOptions, ShownLimiter } from './options.ts'
