import type { Registry } from 'prom-client'

/** The samples of one metric, as Prometheus reads them. */
export async function samplesOf(register: Registry, metric: string): Promise<readonly string[]> {
  const text = await register.metrics()
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
}
