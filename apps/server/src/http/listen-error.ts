/**
 * Why a port cannot be listened on, as a sentence that names the setting to change; any other error is returned as it
 * is.
 * @param portSetting the variable of the port; the variable of the address is always `SERVICE_HOST`
 */
export function listenError(error: unknown, host: string, port: number, portSetting: string): unknown {
	if (!(error instanceof Error) || !("code" in error)) return error;
	const because = (message: string) => new Error(message, { cause: error });
	switch (error.code) {
		case "EADDRINUSE":
			return because(`port ${port} on ${host} is in use; set ${portSetting} to a free one`);
		case "EACCES":
			return because(`port ${port} needs more rights than this process has; set ${portSetting} to a port above 1023`);
		case "EADDRNOTAVAIL":
		case "EAI_AGAIN":
		case "EAFNOSUPPORT":
		case "ENOTFOUND":
			return because(`this machine does not have the address ${host}; set SERVICE_HOST to one of its addresses`);
		default:
			return because(
				`cannot listen on port ${port} of ${host} (${error.message}): see ${portSetting} and SERVICE_HOST`,
			);
	}
}
