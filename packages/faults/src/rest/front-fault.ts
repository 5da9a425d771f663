/** What goes wrong in an HTTP front. */
export type FrontFault =
  | { readonly fault: 'none' }
  /** Each answer comes `ms` later; the commands are run at once. */
  | { readonly fault: 'slow'; readonly ms: number }
  /** Requests are read and never answered; nothing is run. */
  | { readonly fault: 'silence' }
  /** The commands are run, and the connection ends in the middle of the answer. */
  | { readonly fault: 'cut' }
  /** Nothing is run; the answer has this status and this body. */
  | { readonly fault: 'answer'; readonly status: number; readonly body?: string; readonly location?: string }
  /** Nothing is run; the answer goes on until its reader hangs up. */
  | { readonly fault: 'flood' }
