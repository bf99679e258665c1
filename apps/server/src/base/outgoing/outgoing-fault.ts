/** Why a request got no answer, or not all of it. */
export type OutgoingReason =
	| "forbidden_address"
	| "unreachable"
	| "untrusted_certificate"
	| "proxy"
	| "timeout"
	| "interrupted"
	| "bad_response";

export type OutgoingSetting =
	| "SERVICE_OUTGOING_ALLOWED_HOSTS"
	| "SERVICE_OUTGOING_PROXY_URL"
	| "SERVICE_OUTGOING_CA_CERT_FILE";

export interface OutgoingFaultDetails extends ErrorOptions {
	/** The variable to change. */
	readonly setting?: OutgoingSetting;
	/** Whether the same request may succeed later. */
	readonly isPassing?: boolean;
}

/** The message says what to change; it does not name the address, which not everybody may see who sees the message. */
export class OutgoingFault extends Error {
	override readonly name = "OutgoingFault";
	readonly reason: OutgoingReason;
	readonly setting: OutgoingSetting | undefined;
	readonly isPassing: boolean;

	constructor(reason: OutgoingReason, message: string, details: OutgoingFaultDetails = {}) {
		super(message, details.cause === undefined ? undefined : { cause: details.cause });
		this.reason = reason;
		this.setting = details.setting;
		this.isPassing = details.isPassing ?? false;
	}
}

/** The fault that an error is, or that caused it: libraries wrap what `fetch` throws. */
export function outgoingFaultIn(error: unknown): OutgoingFault | undefined {
	for (let at = error; at instanceof Error; at = at.cause) {
		if (at instanceof OutgoingFault) return at;
	}
	return undefined;
}
