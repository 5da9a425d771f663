export interface Address {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}
