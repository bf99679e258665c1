import { readTls, type TlsMaterial, type TlsSettings } from "#base/settings/tls-material.ts";
import type { Context } from "#context.ts";

const LOOK_EVERY_MS = 60_000;

interface SecureServer {
	setSecureContext(material: TlsMaterial): void;
}

/**
 * Makes those of `servers` that serve over TLS use a renewed certificate for new connections: on SIGHUP, and within a
 * minute of a change of the files.
 */
export function followCertificates(config: TlsSettings, servers: readonly object[], log: Context["log"]): Disposable {
	let served = JSON.stringify(readTls(config).material);
	let refused = "";
	const look = () => {
		const { material, problems, warnings } = readTls(config);
		if (material === undefined) {
			const sentence = problems.join("; ");
			if (sentence !== refused) log.error(`the certificate was not replaced: ${sentence}`);
			refused = sentence;
			return;
		}
		refused = "";
		const renewed = JSON.stringify(material);
		if (renewed === served) return;
		for (const server of servers.filter(isSecure)) server.setSecureContext(material);
		served = renewed;
		log.info("serving with the renewed certificate");
		for (const warning of warnings) log.warn(warning);
	};
	const timer = setInterval(look, LOOK_EVERY_MS).unref();
	process.on("SIGHUP", look);
	return {
		[Symbol.dispose]() {
			clearInterval(timer);
			process.off("SIGHUP", look);
		},
	};
}

function isSecure(server: object): server is SecureServer {
	return "setSecureContext" in server;
}
