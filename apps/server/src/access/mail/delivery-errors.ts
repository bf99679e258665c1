/** What the log says about a mail that was not sent. */
export interface DeliveryFailure {
	/** Of the library or the socket: `EAUTH`, `ECONNREFUSED`. */
	readonly code: string;
	readonly reason: string;
	/** What the server answered, shortened; absent where it may repeat credentials. */
	readonly answer?: string;
	/** The setting to look at. */
	readonly hint?: string;
}

const MAX_ANSWER = 200;
const CERTIFICATE = /certificate|self.signed|altname|CERT_|UNABLE_TO|issuer/i;

export function explainFailure(error: unknown): DeliveryFailure {
	const code = textOf(error, "code") ?? "unknown";
	if (code === "EAUTH" || code === "ENOAUTH") {
		return {
			code,
			reason: "the mail server does not accept the credentials",
			hint: "SERVICE_SMTP_USERNAME and SERVICE_SMTP_PASSWORD",
		};
	}
	const reason = error instanceof Error ? error.message : String(error);
	const answer = textOf(error, "response")?.slice(0, MAX_ANSWER);
	const hint = hintFor(code, reason);
	return {
		code,
		reason: reason.slice(0, MAX_ANSWER),
		...(answer === undefined ? {} : { answer }),
		...(hint === undefined ? {} : { hint }),
	};
}

function hintFor(code: string, reason: string): string | undefined {
	if (CERTIFICATE.test(reason)) {
		return "the certificate does not prove SERVICE_SMTP_HOSTNAME; SERVICE_SMTP_CA_CERT_FILE names your own authority";
	}
	switch (code) {
		case "ETLS":
			return "the server does not offer STARTTLS, or it failed; SERVICE_SMTP_TLS_MODE sets how mails are encrypted";
		case "ETIMEDOUT":
		case "ESOCKET":
		case "ECONNECTION":
		case "EDNS":
			return "SERVICE_SMTP_HOSTNAME, SERVICE_SMTP_PORT and SERVICE_SMTP_TLS_MODE";
		default:
			return undefined;
	}
}

/** Whether the same mail would be refused again: a permanent reply, RFC 5321 4.2.1. */
export function isFinal(error: unknown): boolean {
	const status = error instanceof Error && "responseCode" in error ? Number(error.responseCode) : 0;
	return status >= 500 && status < 600;
}

function textOf(error: unknown, key: string): string | undefined {
	const value: unknown = error instanceof Error ? Reflect.get(error, key) : undefined;
	return typeof value === "string" ? value : undefined;
}
