/** Where programs put what a request has; a dot leads into an object, and a name may hold dots itself. */
export const usualPlaces: Readonly<Record<string, readonly string[]>> = {
  time: [
    ...['time', 'timestamp', '@timestamp', 'ts', 'time_iso8601', 'msec', 'datetime', 'date', 'StartUTC'],
    ...['EdgeStartTimestamp', 'start_time', 'startTime', 'started_at', 'requestTime', 'requestTimeEpoch'],
    ...['reqTimeSec', 'time_local', 'time_unix', 'eventTime', 'ts_ms', 't', 'StartLocal', '__REALTIME_TIMESTAMP'],
    ...['isotime', 'event.created', 'timestamp(ms)', 'meta.timestamp', '_time', 'asctime', 'timeGenerated'],
  ],
  user: ['user', 'user_id', 'userId', 'username', 'remote_user', 'req.user', 'ClientUsername', 'cs-username'],
  method: [
    ...['method', 'request_method', 'http_method', 'req.method', 'request.method', 'RequestMethod'],
    ...['httpRequest.requestMethod', 'httpRequest.httpMethod', 'ClientRequestMethod', 'proxy.method'],
    ...['httpMethod', 'properties.httpMethod', 'http.request.method', 'http.method', 'meta.req.method'],
    ...['cs-method', 'reqMethod', 'verb', 'requestMethod', 'properties.requestMethod'],
  ],
  path: [
    ...['path', 'uri', 'url', 'request_uri', 'req.url', 'request.uri', 'RequestPath', 'httpRequest.requestUrl'],
    ...['httpRequest.uri', 'ClientRequestURI', 'ClientRequestPath', 'proxy.path', 'properties.requestUri'],
    ...['url.path', 'url.original', 'http.target', 'http.url', 'meta.req.url', 'cs-uri-stem', 'reqPath'],
    ...['request_path', 'requestUrl', 'requestUri', 'requestPath', 'originalUrl', 'req.originalUrl'],
    ...['properties.originalRequestUriWithArgs', 'http.path', 'http.route', 'request.path', 'request.url'],
    'uri_path',
  ],
  status: [
    ...['status', 'status_code', 'statusCode', 'res.statusCode', 'response.status', 'DownstreamStatus'],
    ...['httpRequest.status', 'EdgeResponseStatus', 'proxy.statusCode', 'httpStatus', 'properties.httpStatus'],
    ...['http.response.status_code', 'http.status_code', 'meta.res.statusCode', 'sc-status', 'response_code'],
    ...['httpStatusCode', 'properties.httpStatusCode', 'http_status', 'responseStatus'],
  ],
}
