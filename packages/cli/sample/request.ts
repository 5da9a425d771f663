/** One request of the sample log. */
export interface SampleRequest {
  readonly atUs: number
  /** How long the answer took: lines are written when it ends, with the time at which it began. */
  readonly tookUs: number
  readonly ip: string
  readonly user: string
  /** `GET /api/products/7` */
  readonly request: string
  readonly status: number
  readonly bytes: number
  readonly agent: string
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** The line of a request in the combined format. */
export function lineOf(request: SampleRequest): string {
  const { ip, user, status, bytes, agent } = request
  const time = `[${clfTime(new Date(request.atUs / 1000))}]`
  return `${ip} - ${user} ${time} "${request.request} HTTP/1.1" ${status} ${bytes} "-" "${agent}"`
}

function clfTime(date: Date): string {
  const [day = '', time = ''] = date.toISOString().slice(0, -5).split('T')
  const [year, month, dayOfMonth] = day.split('-')
  return `${dayOfMonth}/${months[Number(month) - 1]}/${year}:${time} +0000`
}
