import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js'

/** Ends a call whose message has not arrived completely within that time. */
export function inTime(ms: number): ServerInterceptor {
  return function endLateCall(_method, call) {
    let late: NodeJS.Timeout | undefined
    const listener = new ServerListenerBuilder()
      .withOnReceiveHalfClose((next) => {
        clearTimeout(late)
        next()
      })
      .withOnCancel(() => clearTimeout(late))
      .build()
    const responder = new ResponderBuilder()
      .withStart((next) => {
        late = setTimeout(() => {
          call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: `expected a message within ${ms} ms` })
        }, ms)
        next(listener)
      })
      .build()
    return new ServerInterceptingCall(call, responder)
  }
}
