import { usageFailure } from "./failure.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/;

/**
 * The address of a server as it is kept: scheme, host, port, base path, no slash at the end. Without a scheme, a machine's
 * own addresses are http, others https.
 * @param from where it was given, for the message
 */
export function serverAddress(given: string, from: string): string {
	const isLocal = LOOPBACK.test(given.split(/[:/]/)[0] ?? "") || given.startsWith("[::1]");
	const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `${isLocal ? "http" : "https"}://${given}`;
	const url = URL.parse(text);
	if (url === null || !["http:", "https:"].includes(url.protocol) || url.hostname === "")
		throw usageFailure(`${from} has to be the address of a server, such as https://traces.example.`);
	if (url.username !== "" || url.password !== "")
		throw usageFailure(`${from} has a user name or password in it: leave it out, and log in with a key.`);
	if (url.search !== "" || url.hash !== "") throw usageFailure(`${from} has to end with the path: leave out ? and #.`);
	return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** Whether what is sent there can be read on the way. */
export function isReadableOnTheWay(address: string): boolean {
	const { protocol, hostname } = new URL(address);
	return protocol === "http:" && !LOOPBACK.test(hostname);
}
