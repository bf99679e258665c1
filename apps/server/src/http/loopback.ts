const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Whether only this machine reaches a host of this name or address. */
export function isLoopback(host: string): boolean {
	return LOOPBACK.test(host);
}
