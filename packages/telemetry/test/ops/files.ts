import { readFileSync } from 'node:fs'
import path from 'node:path'

const folder = path.resolve(__dirname, '../../ops')

export const alertsFile: string = path.join(folder, 'prometheus-alerts.yaml')
export const alertTests: string = path.join(__dirname, 'alerts.promtool.yaml')

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly links?: readonly { readonly url: string }[] } }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Variable {
  readonly name: string
  readonly query: string | { readonly query: string }
}

export interface Dashboard {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly links: readonly { readonly url: string }[]
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly Variable[] }
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(path.join(folder, 'grafana-dashboard.json'), 'utf8'))
}

/** A query of the dashboard as Grafana sends it, with everything chosen. */
export function asSent(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(job|limiter)\b/g, '.*')
}

/** The expressions of the alerts by their names; a file this plain needs no parser. */
export function readAlerts(): readonly (readonly [name: string, expr: string])[] {
  const [, ...rules] = readFileSync(alertsFile, 'utf8').split('- alert: ')
  return rules.map((rule) => {
    const [, name = '', expr = ''] =
      /^(\w+)\n\s+expr: (?:>-\n)?([\s\S]+?)\n\s+(?:for|labels):/.exec(rule) ?? []
    return [name, expr.replaceAll(/\s+/g, ' ').trim()] as const
  })
}
