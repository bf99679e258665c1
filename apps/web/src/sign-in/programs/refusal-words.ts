import { programsTexts } from "../../texts/programs-en.ts";
import type { Refusal } from "../requests.ts";

const { device: DEVICE, refused: TEXTS } = programsTexts;

/** Whatever the user decides, the program gets nothing by this request. */
const OF_REQUEST: Readonly<Record<string, string>> = {
	invalid_client: TEXTS.unknownClient,
	invalid_redirect_uri: TEXTS.redirect,
	client_disabled: TEXTS.disabled,
	invalid_request: TEXTS.invalid,
	unsupported_response_type: TEXTS.invalid,
	invalid_scope: TEXTS.invalid,
	invalid_target: TEXTS.invalid,
};
const OTHERS: Readonly<Record<string, string>> = {
	foreign_origin: TEXTS.foreign,
	too_many_authorizations: TEXTS.tooMany,
	unknown_user_code: DEVICE.unknownCode,
	user_code_expired: DEVICE.expiredCode,
	user_code_used: DEVICE.usedCode,
};

/** Whether the program has to ask anew. */
export function endsRequest({ code }: Refusal): boolean {
	return Object.hasOwn(OF_REQUEST, code);
}

/** The refusal in words for who uses the program, where the server's are for who made it. */
export function inWords(refusal: Refusal): Refusal {
	const { code, retryAfter } = refusal;
	const text =
		code === "too_many_user_codes"
			? DEVICE.tooManyCodes(retryAfter === undefined ? undefined : Math.ceil(retryAfter / 60))
			: { ...OF_REQUEST, ...OTHERS }[code];
	return text === undefined ? refusal : { ...refusal, text };
}
