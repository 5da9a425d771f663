import type { MinuteRequest } from './minute.ts'

/** How a program writes requests. */
export interface WrittenFormat {
  readonly name: string
  readonly head?: readonly string[]
  readonly line: (request: MinuteRequest) => string
  /** Options of the command line. */
  readonly options?: { readonly client?: string; readonly trust?: readonly string[] }
}

const agent = 'Mozilla/5.0 (X11; Linux x86_64)'

export function combined({ ip, clf, path }: MinuteRequest, user = '-'): string {
  return `${ip} - ${user} [${clf}] "GET ${path} HTTP/1.1" 200 512 "-" "${agent}"`
}

/** As the server behind a balancer sees it. */
function behind(request: MinuteRequest): string {
  return combined({ ...request, ip: request.proxy })
}

const day = ({ iso }: MinuteRequest) => iso.slice(0, 10)
const clock = ({ iso }: MinuteRequest) => iso.slice(11, 19)
const json = JSON.stringify

// biome-ignore format: a table
export const fronts: readonly WrittenFormat[] = [
  { name: 'Docker Compose',              line: (r) => `nginx-1  | ${combined(r)}` },
  { name: 'Docker Compose, colours',     line: (r) => `\u001b[36mnginx-1  | \u001b[0m${combined(r)}` },
  { name: 'Docker Compose, times',       line: (r) => `nginx-1  | ${r.iso} ${combined(r)}` },
  { name: 'Docker, times',               line: (r) => `${r.iso.replace('Z', '123456Z')} ${combined(r)}` },
  { name: 'a Docker service',            line: (r) => `web.1.k3x9abc@node-1    | ${combined(r)}` },
  { name: 'Docker, json-file',           line: (r) => json({ log: `${combined(r)}\n`, stream: 'stdout', time: r.iso }) },
  { name: 'syslog, RFC 3164',            line: (r) => `Mar 10 ${clock(r)} web1 nginx: ${combined(r)}` },
  { name: 'syslog, with its priority',   line: (r) => `<190>Mar 10 ${clock(r)} 10.9.8.7 nginx: ${combined(r)}` },
  { name: 'syslog, RFC 5424',            line: (r) => `<190>1 ${r.iso} web1 nginx 7 - - ${combined(r)}` },
  { name: 'syslog, RFC 5424 with data',  line: (r) => `<190>1 ${r.iso} 192.0.2.250 nginx 7 access [meta id="7" ip="192.0.2.9"] ${combined(r)}` },
  { name: 'rsyslog, ISO times',          line: (r) => `${r.iso.replace('Z', '+00:00')} web1 nginx[7]: ${combined(r)}` },
  { name: 'journald',                    line: (r) => `Mar 10 ${clock(r)} web1 nginx[812]: ${combined(r)}` },
  { name: 'journald, precise',           line: (r) => `Mar 10 ${clock(r)}.123456 web1 nginx[812]: ${combined(r)}` },
  { name: 'journald, JSON',              line: (r) => json({ __REALTIME_TIMESTAMP: String(r.ms * 1000), _HOSTNAME: 'web1', _PID: '812', MESSAGE: combined(r) }) },
  { name: 'kubectl --timestamps',        line: (r) => `${r.iso} ${combined(r)}` },
  { name: 'kubectl --prefix',            line: (r) => `[pod/web-7d4b9/nginx] ${combined(r)}` },
  { name: 'containers of Kubernetes',    line: (r) => `${r.iso.replace('Z', '000123Z')} stdout F ${combined(r)}` },
  { name: 'containers of Kubernetes, cut lines', line: (r) => [`${r.iso} stdout P ${combined(r).slice(0, 30)}`, `${r.iso} stderr P of`, `${r.iso} stdout P ${combined(r).slice(30, 60)}`, `${r.iso} stderr F another stream`, `${r.iso} stdout F ${combined(r).slice(60)}`].join('\n') },
  { name: 'stern',                       line: (r) => `web-7d4b9 nginx ${combined(r)}` },
  { name: 'Heroku, the application',     line: (r) => `${r.iso.replace('Z', '+00:00')} app[web.1]: ${combined(r)}` },
  { name: 'Heroku, the router',          line: (r) => `${r.iso.replace('Z', '+00:00')} heroku[router]: at=info method=GET path="${r.path}" host=shop.example request_id=${r.i} fwd="${r.ip}" dyno=web.1 connect=1ms service=4ms status=200 bytes=512 protocol=https` },
  { name: 'Heroku, a drain',             line: (r) => `83 <158>1 ${r.iso} host heroku router - at=info method=GET path="${r.path}" host=shop.example request_id=${r.i} fwd="${r.ip}" dyno=web.1 connect=1ms service=4ms status=200 bytes=512 protocol=https` },
  { name: 'Fly.io',                      line: (r) => `${r.iso} app[148e2123] fra [info]${combined(r)}` },
  { name: 'Render, requests',            line: (r) => `${r.iso} [GET]200 shop.example${r.path} clientIP="${r.ip}" requestID="${r.i}" responseTimeMS=4 responseBytes=512 userAgent="${agent}"` },
  { name: 'CloudWatch, tail',            line: (r) => `${r.iso} web/nginx/0a1b2c3d ${combined(r)}` },
  { name: 'CloudWatch, an export',       line: (r) => `${r.iso} ${combined(r)}` },
  { name: 'CloudWatch Insights, CSV',    head: ['@timestamp,@message'], line: (r) => `${r.iso.replace('T', ' ').replace('Z', '')},"${combined(r).replaceAll('"', '""')}"` },
  { name: 'CloudWatch, JSON',            line: (r) => json({ timestamp: r.ms, ingestionTime: r.ms + 50, logStreamName: 'web', message: combined(r) }) },
  { name: 'Filebeat',                    line: (r) => json({ '@timestamp': r.iso, host: { name: 'web1', ip: ['10.0.0.9', 'fe80::1'] }, agent: { type: 'filebeat' }, message: combined(r) }) },
  { name: 'pm2',                         line: (r) => `0|shop  | ${combined(r)}` },
  { name: 'Foreman',                     line: (r) => `${clock(r)} web.1  | ${combined(r)}` },
  { name: 'Docker Compose around JSON',         line: (r) => `api-1  | ${json({ time: r.iso, ip: r.ip, method: 'GET', path: r.path, status: 200 })}` },
]

// biome-ignore format: a table
const servers: readonly WrittenFormat[] = [
  { name: 'common',                      line: (r) => combined(r).replace(/ "-" ".*$/, '') },
  { name: 'combined',                    line: (r) => combined(r) },
  { name: 'combined, with users',   line: (r) => combined(r, r.i % 3 === 0 ? 'ann lee' : '-') },
  { name: 'nginx, the host first',       line: (r) => `shop.example ${combined(r)}` },
  { name: 'Apache, vhost_combined',      line: (r) => `shop.example:443 ${combined(r)}` },
  { name: 'nginx, its own address first', line: (r) => `192.0.2.10 ${combined(r)}` },
  { name: 'nginx, X-Forwarded-For last', line: (r) => `${behind(r)} "${r.ip}"` },
  { name: 'nginx, X-Forwarded-For last, forged by a client',  line: (r) => `${behind(r)} "${r.ip.startsWith('203') ? `192.0.2.${r.i % 200}, ` : ''}${r.ip}"` },
  { name: 'nginx, X-Forwarded-For last, without a proxy',     line: (r) => `${combined(r)} "${r.ip.startsWith('203') ? `192.0.2.${r.i % 200}` : '-'}"` },
  { name: 'nginx behind a CDN that is named by --trust',    line: (r) => `${behind(r)} "${r.ip}, 192.0.2.${r.i % 9}"`, options: { trust: ['192.0.2.0/24'] } },
  { name: 'nginx behind a CDN and a balancer',          line: (r) => `${behind(r)} "${r.ip}, 192.0.2.${r.i % 9}"` },
  { name: 'nginx behind a CDN',   line: (r) => `${combined({ ...r, ip: `192.0.2.${r.i % 30}` })} "${r.ip}"` },
  { name: 'Apache, the chain first',     line: (r) => combined({ ...r, ip: `${r.ip}, 10.0.0.9` }) },
  { name: 'nginx, the chain before the peer',    line: (r) => `${r.ip} ${behind(r)}` },
  { name: 'Elastic Beanstalk',           line: (r) => behind(r).replace(' ', ` (${r.ip}, ${r.proxy}) `) },
  { name: 'ingress-nginx',               line: (r) => `${combined(r)} 431 0.004 [shop-web-80] [] 10.2.0.${r.i % 5}:8080 512 0.004 200 7b0c${r.i}` },
  { name: 'nginx with named parts',      line: (r) => `${behind(r)} rt=0.004 xff="${r.ip}" uct="0.000" host="shop.example"` },
  { name: 'nginx, $msec first', line: (r) => `${(r.ms / 1000).toFixed(3)} ${r.ip} "GET ${r.path} HTTP/2.0" 200 512` },
  { name: 'nginx, JSON with a chain',    line: (r) => json({ time_iso8601: r.iso, remote_addr: r.proxy, http_x_forwarded_for: r.ip, request_method: 'GET', request_uri: r.path, status: '200' }) },
  { name: 'nginx, JSON with the request', line: (r) => json({ time_local: r.clf, remote_addr: r.ip, remote_user: '', request: `GET ${r.path} HTTP/1.1`, status: '200', upstream_addr: '10.2.0.3:80' }) },
  { name: 'Apache, JSON',                line: (r) => json({ time: `[${r.clf}]`, host: r.ip, request: `GET ${r.path} HTTP/1.1`, status: 200, server: 'shop.example' }) },
  { name: 'Application Load Balancer',   line: (r) => `h2 ${r.iso.replace('Z', '000Z')} app/shop/50dc6c495c0c9188 ${r.ip}:${2000 + r.i} 10.0.0.${r.i % 60}:80 0.000 0.002 0.000 200 200 34 512 "GET https://shop.example:443${r.path} HTTP/2.0" "${agent}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/web/7 "Root=1-58337262-${r.i}" "shop.example" "-" 0 ${r.iso.replace('Z', '000Z')} "forward" "-" "-" "10.0.0.${r.i % 60}:80" "200" "-" "-"` },
  { name: 'Classic Load Balancer',       line: (r) => `${r.iso.replace('Z', '000Z')} shop ${r.ip}:${2000 + r.i} 10.0.0.${r.i % 60}:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://shop.example:80${r.path} HTTP/1.1" "${agent}" - -` },
  { name: 'CloudFront',                  head: ['#Version: 1.0', '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for'], line: (r) => [day(r), clock(r), 'FRA2', '512', r.ip, 'GET', 'd1.cloudfront.net', r.path, '200', '-', 'Mozilla/5.0%20(X11)', '-', '-', 'Hit', `id${r.i}==`, 'shop.example', 'https', '23', '0.001', '-'].join('\t') },
  { name: 'CloudFront without its head', line: (r) => [day(r), clock(r), 'FRA2', '512', r.ip, 'GET', 'd1.cloudfront.net', r.path, '200', '-', 'Mozilla/5.0%20(X11)', '-', '-', 'Hit', `id${r.i}==`, 'shop.example', 'https', '23', '0.001', '-'].join('\t') },
  { name: 'Caddy, JSON',                 line: (r) => json({ level: 'info', ts: r.ms / 1000, logger: 'http.log.access', msg: 'handled request', request: { remote_ip: r.proxy, remote_port: '4711', client_ip: r.ip, proto: 'HTTP/2.0', method: 'GET', host: 'shop.example', uri: r.path, headers: { 'User-Agent': [agent] } }, bytes_read: 0, user_id: '', duration: 0.004, size: 512, status: 200 }) },
  { name: 'Caddy, JSON without trusted proxies',    line: (r) => json({ level: 'info', ts: r.ms / 1000, logger: 'http.log.access', msg: 'handled request', request: { remote_ip: r.proxy, remote_port: '4711', client_ip: r.proxy, method: 'GET', host: 'shop.example', uri: r.path, headers: { 'X-Forwarded-For': [r.ip], 'User-Agent': [agent] } }, status: 200 }) },
  { name: 'Caddy, to a terminal',        line: (r) => `${day(r).replaceAll('-', '/')} ${clock(r)}.123\t\u001b[34mINFO\u001b[0m\thttp.log.access.log0\thandled request\t${json({ request: { remote_ip: r.proxy, client_ip: r.ip, method: 'GET', host: 'shop.example', uri: r.path }, duration: 0.004, size: 512, status: 200 })}` },
  { name: 'Traefik, common',             line: (r) => `${combined(r)} ${r.i} "web@docker" "http://10.2.0.3:8080" 4ms` },
  { name: 'Traefik, JSON',               line: (r) => json({ ClientAddr: `${r.ip}:4711`, ClientHost: r.ip, ClientPort: '4711', ClientUsername: '-', DownstreamStatus: 200, RequestAddr: 'shop.example', RequestHost: 'shop.example', RequestMethod: 'GET', RequestPath: r.path, ServiceAddr: '10.2.0.3:8080', ServiceURL: 'http://10.2.0.3:8080', StartLocal: r.iso, StartUTC: r.iso, level: 'info', msg: '', time: r.iso }) },
  { name: 'Traefik, JSON with a header', line: (r) => json({ ClientAddr: `${r.proxy}:4711`, ClientHost: r.proxy, DownstreamStatus: 200, RequestMethod: 'GET', RequestPath: r.path, ServiceAddr: '10.2.0.3:8080', StartUTC: r.iso, 'request_X-Forwarded-For': r.ip, time: r.iso }) },
  { name: 'HAProxy',                     line: (r) => `Mar 10 ${clock(r)} lb1 haproxy[14389]: ${r.ip}:${2000 + r.i} [${r.clf.replace(' +0000', '.123')}] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET ${r.path} HTTP/1.1"` },
  { name: 'HAProxy with captures',       line: (r) => `<134>Mar 10 ${clock(r)} haproxy[14389]: ${r.proxy}:${2000 + r.i} [${r.clf.replace(' +0000', '.123')}] http-in~ static/srv1 10/0/30/69/109 200 512 - - ---- 1/1/1/1/0 0/0 {shop.example|${r.ip}|${agent}} {} "GET ${r.path} HTTP/1.1"` },
  { name: 'Envoy',                       line: (r) => `[${r.iso}] "GET ${r.path} HTTP/2" 200 - 0 512 4 3 "${r.ip}" "${agent}" "cc21d9b0-${r.i}" "shop.example" "10.2.0.${r.i % 5}:80"` },
  { name: 'Istio',                       line: (r) => `[${r.iso}] "GET ${r.path} HTTP/1.1" 200 - via_upstream - "-" 0 512 4 3 "${r.ip}" "${agent}" "cc21d9b0-${r.i}" "shop.example" "10.2.0.${r.i % 5}:80" outbound|80||web.shop.svc.cluster.local 10.2.1.7:${3000 + r.i} 10.2.1.7:8443 ${r.proxy}:${4000 + r.i} shop.example -` },
  { name: 'IIS',                         head: ['#Software: Microsoft Internet Information Services 10.0', '#Version: 1.0', '#Date: 2026-03-10 13:00:00', '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken'], line: (r) => `${day(r)} ${clock(r)} 192.0.2.10 GET ${r.path} - 443 - ${r.ip} Mozilla/5.0+(X11) - 200 0 0 4` },
  { name: 'IIS behind a balancer',       head: ['#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status time-taken X-Forwarded-For'], line: (r) => `${day(r)} ${clock(r)} 10.0.0.80 GET ${r.path} - 80 - ${r.proxy} Mozilla/5.0+(X11) 200 4 ${r.ip}` },
  { name: 'Vercel',                      line: (r) => json({ id: String(r.i), timestamp: r.ms, source: 'lambda', host: 'shop.example', path: r.path, statusCode: 200, proxy: { timestamp: r.ms, method: 'GET', host: 'shop.example', path: r.path, statusCode: 200, clientIp: r.ip } }) },
  { name: 'Cloudflare',                  line: (r) => json({ CacheCacheStatus: 'hit', ClientIP: r.ip, ClientRequestHost: 'shop.example', ClientRequestMethod: 'GET', ClientRequestURI: r.path, EdgeEndTimestamp: r.iso, EdgeResponseBytes: 512, EdgeResponseStatus: 200, EdgeServerIP: '192.0.2.77', EdgeStartTimestamp: r.iso, OriginIP: '192.0.2.80', RayID: `ray${r.i}` }) },
  { name: 'Cloudflare, nanoseconds',     line: (r) => `{"ClientIP":"${r.ip}","ClientRequestMethod":"GET","ClientRequestURI":"${r.path}","EdgeStartTimestamp":${r.ms}000000,"EdgeResponseStatus":200}` },
]

// biome-ignore format: a table
const programs: readonly WrittenFormat[] = [
  { name: 'morgan, combined',            line: (r) => combined(r).replace(/^(\S+)/, '::ffff:$1') },
  { name: 'morgan, common',              line: (r) => combined(r).replace(/ "-" ".*$/, '').replace(/^(\S+)/, '::ffff:$1') },
  { name: 'morgan, short, with times',   line: (r) => `${r.iso} ::ffff:${r.ip} - GET ${r.path} HTTP/1.1 200 512 - 4.321 ms` },
  { name: 'morgan, :date first',         line: (r) => `${new Date(r.ms).toUTCString()} ::ffff:${r.ip} GET ${r.path} 200 4.321 ms` },
  { name: 'morgan, :date[web]',          line: (r) => `::ffff:${r.ip} - - [${new Date(r.ms).toUTCString()}] "GET ${r.path} HTTP/1.1" 200 512` },
  { name: 'morgan within winston',       line: (r) => json({ level: 'http', message: combined(r), timestamp: r.iso }) },
  { name: 'pino-http',                   line: (r) => json({ level: 30, time: r.ms, pid: 7, hostname: 'web1', req: { id: r.i, method: 'GET', url: r.path, headers: { host: 'shop.example', 'user-agent': agent }, remoteAddress: `::ffff:${r.ip}`, remotePort: 4711 }, res: { statusCode: 200 }, responseTime: 4, msg: 'request completed' }) },
  { name: 'pino-http behind a balancer', line: (r) => json({ level: 30, time: r.ms, req: { id: r.i, method: 'GET', url: r.path, headers: { host: 'shop.example', 'x-forwarded-for': r.ip }, remoteAddress: r.proxy, remotePort: 4711 }, res: { statusCode: 200 }, msg: 'request completed' }) },
  { name: 'Fastify',                     line: (r) => [json({ level: 30, time: r.ms, pid: 7, hostname: 'web1', reqId: `req-${r.i}`, req: { method: 'GET', url: r.path, host: 'shop.example', remoteAddress: r.ip, remotePort: 4711 }, msg: 'incoming request' }), json({ level: 30, time: r.ms + 4, pid: 7, hostname: 'web1', reqId: `req-${r.i}`, res: { statusCode: 200 }, responseTime: 4, msg: 'request completed' })].join('\n') },
  { name: 'express-winston',             line: (r) => json({ level: 'info', message: `HTTP GET ${r.path}`, meta: { req: { url: r.path, headers: { host: 'shop.example', 'x-forwarded-for': r.ip }, method: 'GET', httpVersion: '1.1', originalUrl: r.path, query: {} }, res: { statusCode: 200 }, responseTime: 4 }, timestamp: r.iso }) },
  { name: 'JSON of your own',         line: (r) => json({ '@timestamp': r.iso, ip: r.ip, method: 'GET', path: r.path, status: 200 }) },
  { name: 'bunyan',                      line: (r) => json({ name: 'shop', hostname: 'web1', pid: 7, level: 30, remoteAddress: r.ip, remotePort: 4711, req: { method: 'GET', url: r.path }, msg: 'handled', time: r.iso, v: 0 }) },
]

// biome-ignore format: a table
const others: readonly WrittenFormat[] = [
  { name: 'S3',                          line: (r) => `79a59df900b949e5 shop-bucket [${r.clf}] ${r.ip} - 3E57427F3E${r.i} REST.GET.OBJECT a.png "GET ${r.path} HTTP/1.1" 200 - 512 512 4 3 "-" "${agent}" - hostid SigV4 ECDHE AuthHeader shop-bucket.s3.amazonaws.com TLSv1.2 - -` },
  { name: 'Squid',                       line: (r) => `${(r.ms / 1000).toFixed(3)}    180 ${r.ip} TCP_MISS/200 507 GET http://shop.example${r.path} - HIER_DIRECT/192.0.2.80 text/html` },
  { name: 'Gin',                         line: (r) => `[GIN] ${day(r).replaceAll('-', '/')} - ${clock(r)} | 200 |     1.204ms |  ${r.ip.padStart(14)} | GET      "${r.path}"` },
  { name: 'uWSGI',                       line: (r) => `[pid: 29|app: 0|req: ${r.i}/${r.i}] ${r.ip} () {42 vars in 812 bytes} [Tue Mar 10 ${clock(r)} 2026] GET ${r.path} => generated 512 bytes in 4 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)` },
  { name: 'uvicorn, with times',         line: (r) => `${r.iso} INFO:     ${r.ip}:${2000 + r.i} - "GET ${r.path} HTTP/1.1" 200 OK` },
  { name: 'gunicorn',                    line: (r) => combined(r) },
  { name: 'Werkzeug',                    line: (r) => `${r.ip} - - [${r.clf.replace(':', ' ').replace(' +0000', '')}] "GET ${r.path} HTTP/1.1" 200 -` },
  { name: 'Rails',                       line: (r) => `Started GET "${r.path}" for ${r.ip} at ${day(r)} ${clock(r)} +0000\nProcessing by PagesController#show as HTML\nCompleted 200 OK in 4ms (Views: 2.0ms)` },
  { name: 'varnishncsa',                 line: (r) => combined({ ...r, path: `http://shop.example${r.path}` }) },
  { name: 'lighttpd',                    line: (r) => `${r.ip} shop.example - [${r.clf}] "GET ${r.path} HTTP/1.1" 200 512 "-" "${agent}"` },
  { name: 'Azure Application Gateway',   line: (r) => json({ timeStamp: r.iso, time: r.iso, resourceId: '/SUBSCRIPTIONS/1', listenerName: 'public', backendPoolName: 'web', category: 'ApplicationGatewayAccessLog', properties: { instanceId: 'gw_0', clientIP: r.ip, clientPort: 4711, httpMethod: 'GET', requestUri: r.path, httpStatus: 200, serverRouted: '10.0.0.4:80', host: 'shop.example' } }) },
  { name: 'Google Cloud',                line: (r) => json({ httpRequest: { remoteIp: r.ip, requestMethod: 'GET', requestUrl: `https://shop.example${r.path}`, serverIp: '10.2.0.3', status: 200 }, insertId: String(r.i), timestamp: r.iso, receiveTimestamp: r.iso }) },
  { name: 'AWS WAF',                     line: (r) => json({ timestamp: r.ms, formatVersion: 1, action: 'ALLOW', httpSourceName: 'ALB', httpRequest: { clientIp: r.ip, country: 'DE', headers: [{ name: 'Host', value: 'shop.example' }], uri: r.path, httpVersion: 'HTTP/2.0', httpMethod: 'GET', requestId: String(r.i) } }) },
  { name: 'AWS API Gateway',             line: (r) => json({ requestId: String(r.i), ip: r.ip, requestTime: r.clf, httpMethod: 'GET', routeKey: 'GET /', status: '200', protocol: 'HTTP/1.1' }) },
  { name: 'Elastic Common Schema',       line: (r) => json({ '@timestamp': r.iso, source: { ip: r.ip, port: 4711 }, destination: { ip: '192.0.2.10' }, host: { name: 'web1', ip: ['192.0.2.11'] }, http: { request: { method: 'GET' }, response: { status_code: 200 } }, url: { path: r.path } }) },
  { name: 'OpenTelemetry, flat',         line: (r) => json({ Timestamp: r.iso, timestamp: r.iso, 'client.address': r.ip, 'network.peer.address': r.proxy, 'server.address': 'shop.example', 'http.request.method': 'GET', 'url.path': r.path, 'http.response.status_code': 200 }) },
  { name: 'Akamai DataStream',           line: (r) => json({ version: 1, cliIP: r.ip, edgeIP: '192.0.2.77', reqTimeSec: (r.ms / 1000).toFixed(3), reqMethod: 'GET', reqPath: r.path.slice(1), reqHost: 'shop.example', statusCode: '200' }) },
  { name: 'Fastly',                      line: (r) => json({ timestamp: r.iso, client_ip: r.ip, geo_country: 'de', host: 'shop.example', url: r.path, request_method: 'GET', response_status: 200, fastly_server: 'cache-fra1' }) },
  { name: 'Kong',                        line: (r) => json({ client_ip: r.ip, started_at: r.ms, request: { method: 'GET', uri: r.path, headers: { host: 'shop.example', 'x-forwarded-for': r.ip } }, response: { status: 200 }, tries: [{ ip: '10.2.0.3', port: 80 }], upstream_uri: '/' }) },
  { name: 'Zeek',                        head: ['#separator \\x09', '#path\thttp', '#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tmethod\thost\turi\tstatus_code', '#types\ttime\tstring\taddr\tport\taddr\tport\tstring\tstring\tstring\tcount'], line: (r) => [(r.ms / 1000).toFixed(6), `C${r.i}`, r.ip, '4711', '192.0.2.10', '80', 'GET', 'shop.example', r.path, '200'].join('\t') },
  { name: 'CSV with names',          head: ['timestamp,method,url,status,remote_ip,user_agent'], line: (r) => `${r.iso},GET,${r.path},200,${r.ip},"Mozilla/5.0 (X11, ""Linux"")"` },
  { name: 'logfmt',                      line: (r) => `time=${r.iso} level=info msg="request completed" method=GET path=${r.path} remote_addr=${r.ip}:4711 status=200 duration=4ms` },
  { name: 'Forwarded, RFC 7239',         line: (r) => json({ time: r.iso, remote_addr: r.proxy, http_forwarded: `for=${r.ip};proto=https, for="10.0.0.7:4711"`, method: 'GET', path: r.path }) },
  { name: 'GELF',                        line: (r) => json({ version: '1.1', host: 'web1', short_message: `GET ${r.path}`, timestamp: r.ms / 1000, level: 6, _remote_addr: r.ip, _request_method: 'GET', _status: 200 }) },
  { name: 'a JSON list with one object a line',     line: (r) => `${r.i === 0 ? '[' : ''}${json({ time: r.iso, ip: r.ip, method: 'GET' })}${r.i === 539 ? ']' : ','}` },
  { name: 'Jetty',                       line: (r) => `${r.ip} - - [${r.clf}] "GET ${r.path} HTTP/1.1" 200 512 4` },
]

// biome-ignore format: a table
const unheardOf: readonly WrittenFormat[] = [
  { name: 'nginx, the peer in parentheses', line: (r) => combined(r).replace(' ', ` (${r.proxy}) `) },
  { name: 'nginx, the time first',       line: (r) => `[${r.clf}] ${r.ip} "GET ${r.path} HTTP/1.1" 200 512` },
  { name: 'cells between |',          line: (r) => `${r.iso}|${r.ip}|GET ${r.path} HTTP/1.1|200|512|${agent}` },
  { name: 'CSV without names',        line: (r) => `"${r.ip}","${r.iso}","GET","${r.path}","200","${agent}"` },
  { name: 'fluent-bit on Kubernetes',    line: (r) => json({ log: `${r.iso} stdout F ${combined(r)}`, kubernetes: { pod_name: 'web-7d4b9', host: '10.0.0.7', pod_ip: '10.2.0.4' } }) },
  { name: 'logcli',                      line: (r) => `${r.iso} {app="nginx", pod="web-7d4b9"} ${combined(r)}` },
  { name: 'Google Cloud, jsonPayload',   line: (r) => json({ jsonPayload: { remote_addr: r.proxy, x_forwarded_for: r.ip, request_method: 'GET', request_uri: r.path }, timestamp: r.iso }) },
  { name: 'Google Cloud, textPayload',   line: (r) => json({ textPayload: combined(r), timestamp: r.iso, resource: { type: 'k8s_container' } }) },
  { name: 'Azure Front Door',            line: (r) => json({ time: r.iso, category: 'FrontDoorAccessLog', properties: { clientIp: r.ip, socketIp: r.proxy, httpMethod: 'GET', requestUri: `https://shop.example${r.path}`, httpStatusCode: '200', originIp: '192.0.2.80:443' } }) },
  { name: 'Azure Application Gateway to nginx', line: (r) => `${behind(r)} "${r.ip}:${2000 + r.i}"` },
  { name: 'Apache, the chain last without quotes', line: (r) => `${behind(r)} 4321 ${r.ip}, 10.0.0.9` },
  { name: 'Apache, host, chain, peer',   line: (r) => `shop.example:443 ${r.ip} ${behind(r)}` },
  { name: 'Nginx Proxy Manager',         line: (r) => `[${r.clf}] - 200 200 - GET https shop.example "${r.path}" [Client ${r.ip}] [Length 512] [Gzip -] [Sent-to 10.0.0.5] "${agent}" "-"` },
  { name: 'chi',                         line: (r) => `${day(r).replaceAll('-', '/')} ${clock(r)} [web1/abc-${r.i}] "GET http://shop.example${r.path} HTTP/1.1" from ${r.ip}:4711 - 200 512B in 4ms` },
  { name: 'Actix',                       line: (r) => `[${r.iso} INFO  actix_web::middleware::logger] ${r.ip} "GET ${r.path} HTTP/1.1" 200 512 "-" "${agent}" 0.004` },
  { name: 'Python\'s logging',           line: (r) => `${day(r)} ${clock(r)},123 INFO access: ${r.ip} "GET ${r.path} HTTP/1.1" 200` },
  { name: 'Akamai, W3C',                 head: ['#Version: 1.0', '#Fields: date time cs-ip cs-method cs-uri sc-status sc-bytes time-taken'], line: (r) => [day(r), clock(r), r.ip, 'GET', `/shop.example${r.path}`, '200', '512', '4'].join('\t') },
  { name: 'Fastly, syslog',              line: (r) => `<134>${r.iso} cache-fra1 shop[141]: ${r.ip} "-" "-" Tue, 10 Mar 2026 ${clock(r)} GMT GET ${r.path} 200` },
  { name: 'Gcore',                       line: (r) => `"${r.ip}" "-" "[${r.clf}]" "GET ${r.path} HTTP/1.1" "200" "512" "-" "${agent}" "-" "https"` },
  { name: 'CEF',                         line: (r) => `CEF:0|WAF|Site|1|1|Normal|0| src=${r.ip} dst=192.0.2.10 requestMethod=GET request=shop.example${r.path} start=${r.ms} app=HTTPS act=REQ_PASSED` },
  { name: 'BunnyCDN',                    line: (r) => `HIT|200|${r.ms}|512|1234|${r.ip}|-|https://shop.example${r.path}|DE|${agent}|id${r.i}|DE` },
  { name: 'Lambda',                      line: (r) => json({ version: '2.0', rawPath: r.path, headers: { 'x-forwarded-for': r.ip }, requestContext: { http: { method: 'GET', path: r.path, sourceIp: r.ip }, timeEpoch: r.ms } }) },
  { name: 'Datadog, CSV',                head: ['Date,Host,Service,Message'], line: (r) => `"${r.iso}","web1","nginx","${combined(r).replaceAll('"', '""')}"` },
  { name: 'journald, short-full',        line: (r) => `Tue ${day(r)} ${clock(r)} UTC web1 nginx[1]: ${combined(r)}` },
  { name: 'JSON within JSON',            line: (r) => json({ timestamp: r.iso, message: json({ time: r.iso, remote_ip: r.ip, method: 'GET', uri: r.path, status: 200 }) }) },
  { name: 'nginx, a chain that begins with unknown', line: (r) => `${behind(r)} "unknown, ${r.ip}"` },
  { name: 'nginx behind a CDN of many nodes',    line: (r) => `${combined({ ...r, ip: `192.0.2.${r.i % 200}` })} "${r.ip}"` },
  { name: 'nginx, the node of the CDN last', line: (r) => `${combined(r)} "192.0.2.${r.i % 200}"` },
  { name: 'JSON with names that say nothing', line: (r) => json({ time: r.iso, a: `10.7.0.${r.i % 40}`, b: r.ip, c: 'GET' }) },
  { name: 'Echo',                        line: (r) => json({ time: r.iso, id: '', remote_ip: r.ip, host: 'shop.example', method: 'GET', uri: r.path, user_agent: agent, status: 200, error: '', latency: 4, bytes_in: 0, bytes_out: 512 }) },
  { name: 'Fiber in a container',        line: (r) => `${r.iso} ${clock(r)} | 200 |    4.1ms | ${r.ip} | GET | ${r.path} | -` },
  { name: 'Spring Boot',                 line: (r) => `${day(r)} ${clock(r)}.123  INFO 7 --- [nio-8080-exec-1] access : ${combined(r)}` },
]

/** As docs/logs.md has them. */
export const formatGroups: Readonly<Record<string, readonly WrittenFormat[]>> = {
  'what runtimes and collectors put around a line': fronts,
  'servers, balancers and platforms': servers,
  'programs on Node': programs,
  'other programs and services': [...others, ...unheardOf],
}

export const writtenFormats: readonly WrittenFormat[] = Object.values(formatGroups).flat()

export function written({ head = [], line }: WrittenFormat, requests: readonly MinuteRequest[]): string {
  return `${[...head, ...requests.map(line)].join('\n')}\n`
}
