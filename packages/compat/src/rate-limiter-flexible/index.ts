export class RateLimiterMemory {}
